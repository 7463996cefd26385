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
vim.cmd("qa!")
