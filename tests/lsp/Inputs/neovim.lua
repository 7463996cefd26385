-- In Neovim: diagnostics, hover and definition, with an import that is changed and not saved.
--   nvim --headless -u NONE -S neovim.lua, with SERVER, SETTINGS and FOLDER in the environment
local function wait(what, holds)
  if not vim.wait(20000, holds, 20) then
    io.stderr:write("not seen: " .. what .. "\n")
    vim.cmd("cquit 1")
  end
end
local function say(...)
  io.stdout:write(table.concat({ ... }, " ") .. "\n")
end

vim.g.tessera_lsp = { vim.env.SERVER, "lsp" }
vim.cmd("source " .. vim.env.SETTINGS)
vim.cmd("edit " .. vim.env.FOLDER .. "/main.tsr")
wait("a diagnostic", function() return #vim.diagnostic.get(0) == 1 end)
local found = vim.diagnostic.get(0)[1]
say("filetype", vim.bo.filetype)
say("diagnostic", found.code, tostring(found.lnum), tostring(found.col))

vim.api.nvim_win_set_cursor(0, { 4, 30 }) -- in `area`, behind an octopus
for _, one in pairs(vim.lsp.buf_request_sync(0, "textDocument/hover", vim.lsp.util.make_position_params(), 20000)) do
  say("hover", (one.result.contents.value:gsub("\n", "|")))
end
vim.lsp.buf.definition()
wait("the definition", function() return vim.api.nvim_buf_get_name(0):match("part.tsr$") ~= nil end)
say("definition", tostring(vim.api.nvim_win_get_cursor(0)[1]))

vim.api.nvim_buf_set_text(0, 0, 4, 0, 8, { "surface" })
vim.cmd("buffer main.tsr")
wait("diagnostics of an import that is not saved", function() return #vim.diagnostic.get(0) == 2 end)
say("clients", tostring(#vim.lsp.get_active_clients()))

-- Code beside the program, and a program that runs.
vim.cmd("edit " .. vim.env.FOLDER .. "/code.tsr")
local program = vim.api.nvim_get_current_buf()
wait("the server", function() return #vim.lsp.get_active_clients({ bufnr = program }) > 0 or #vim.lsp.buf_get_clients(program) > 0 end)
vim.api.nvim_win_set_cursor(0, { 5, 8 })
vim.cmd("TesseraShow tile")
local code
wait("the code", function()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    local buffer = vim.api.nvim_win_get_buf(window)
    if vim.api.nvim_buf_get_name(buffer):match("Tile IR") then code = buffer end
  end
  return code ~= nil
end)
local function marked()
  local rows = {}
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(code, vim.api.nvim_get_namespaces().tessera, 0, -1, {})) do
    table.insert(rows, vim.api.nvim_buf_get_lines(code, mark[2], mark[2] + 1, false)[1])
  end
  return table.concat(rows, "|")
end
say("marked", marked())
vim.api.nvim_win_set_cursor(0, { 2, 0 })
vim.cmd("doautocmd CursorMoved")
say("then", marked())
vim.cmd("TesseraRun")
wait("what the program prints", function()
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    local text = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), "\n")
    if vim.bo[buffer].buftype == "terminal" and text:match("twice: 4.0") then return true end
  end
end)
say("run")
vim.cmd("qa!")
