-- Tessera in Neovim 0.7 and later. Put this file into ~/.config/nvim/plugin/.
-- The server is `tessera-lsp` of PATH; `vim.g.tessera_lsp = { "/path/to/tesserac", "lsp" }` names another one.

local group = vim.api.nvim_create_augroup("tessera", {})

vim.api.nvim_create_autocmd({ "BufRead", "BufNewFile" }, {
  group = group,
  pattern = "*.tsr",
  callback = function()
    vim.bo.filetype = "tessera"
  end,
})

-- Programs of one folder, that import each other, share a server.
local function root_of(path)
  local folder = vim.fn.fnamemodify(path, ":p:h")
  local git = vim.fn.finddir(".git", folder .. ";")
  return git ~= "" and vim.fn.fnamemodify(git, ":p:h:h") or folder
end

local clients = {} -- by root

local function start(buffer)
  local root = root_of(vim.api.nvim_buf_get_name(buffer))
  local config = {
    name = "tessera",
    cmd = vim.g.tessera_lsp or { "tessera-lsp" },
    root_dir = root,
    workspace_folders = { { uri = vim.uri_from_fname(root), name = root } },
  }
  if vim.lsp.start then
    vim.lsp.start(config, { bufnr = buffer })
    return
  end
  local client = clients[root]
  if not client or vim.lsp.client_is_stopped(client) then
    client = vim.lsp.start_client(config)
    clients[root] = client
  end
  if client then
    vim.lsp.buf_attach_client(buffer, client)
  end
end

vim.api.nvim_create_autocmd("FileType", {
  group = group,
  pattern = "tessera",
  callback = function(event)
    local buffer = event.buf
    vim.bo[buffer].commentstring = "# %s"
    vim.bo[buffer].expandtab = true
    vim.bo[buffer].shiftwidth = 4
    vim.bo[buffer].omnifunc = "v:lua.vim.lsp.omnifunc"
    if vim.fn.exists(":TSBufEnable") == 0 then
      vim.bo[buffer].syntax = "python" -- words and strings are those of Python; the server colors names
    end
    start(buffer)
  end,
})

-- ---- commands of the server ----

-- :TesseraRun, :TesseraSanitize and :TesseraCheckGradients run the program of the buffer in a terminal, :TesseraShow
-- graph|tile|schedule|target|ptx shows the code of the function at the cursor. `vim.lsp.codelens.run()` does the same
-- where the server shows a lens.

local marks = vim.api.nvim_create_namespace("tessera")

local function ask(command, argument, take)
  vim.lsp.buf_request(0, "workspace/executeCommand", { command = command, arguments = { argument } }, function(problem, answer)
    if problem then
      vim.notify(problem.message, vim.log.levels.ERROR)
    else
      take(answer)
    end
  end)
end

local function run(command, argument)
  vim.cmd("silent update")
  ask(command, argument, function(answer)
    vim.cmd("botright 12split | enew")
    vim.fn.termopen(answer.words, { cwd = answer.folder })
  end)
end

-- Marks the lines of `lines` (by line of the code: that of the program) that belong to the cursor's line.
local function follow(code, lines)
  local line = vim.api.nvim_win_get_cursor(0)[1] - 1
  vim.api.nvim_buf_clear_namespace(code, marks, 0, -1)
  local first
  for row, source in ipairs(lines) do
    if source == line then
      first = first or row
      vim.api.nvim_buf_add_highlight(code, marks, "Visual", row - 1, 0, -1)
    end
  end
  local window = vim.fn.bufwinid(code)
  if first and window ~= -1 then
    vim.api.nvim_win_set_cursor(window, { first, 0 })
  end
end

local function show(command, argument)
  local program = vim.api.nvim_get_current_buf()
  ask(command, argument, function(answer)
    local here = vim.api.nvim_get_current_win()
    vim.cmd("vertical botright new")
    local code = vim.api.nvim_get_current_buf()
    vim.bo[code].buftype = "nofile"
    vim.bo[code].bufhidden = "wipe"
    vim.api.nvim_buf_set_name(code, answer.title .. " #" .. code)
    vim.api.nvim_buf_set_lines(code, 0, -1, false, vim.split(answer.text, "\n", { plain = true, trimempty = true }))
    vim.bo[code].modifiable = false
    vim.api.nvim_set_current_win(here)
    follow(code, answer.lines)
    vim.api.nvim_create_autocmd("CursorMoved", {
      group = group,
      buffer = program,
      callback = function()
        if not vim.api.nvim_buf_is_valid(code) then
          return true -- its window was closed: no more
        end
        follow(code, answer.lines)
      end,
    })
  end)
end

local function here()
  local at = vim.lsp.util.make_position_params()
  return { uri = at.textDocument.uri, position = at.position }
end

vim.lsp.commands["tessera.show"] = function(command)
  show(command.command, command.arguments[1])
end
for name, command in pairs({ Run = "tessera.run", Sanitize = "tessera.sanitize", CheckGradients = "tessera.checkGradients" }) do
  vim.lsp.commands[command] = function(lens)
    run(command, lens.arguments[1])
  end
  vim.api.nvim_create_user_command("Tessera" .. name, function()
    run(command, here())
  end, {})
end
vim.api.nvim_create_user_command("TesseraShow", function(given)
  show("tessera.show", vim.tbl_extend("error", here(), { level = given.args }))
end, {
  nargs = 1,
  complete = function()
    return { "graph", "tile", "schedule", "target", "ptx" }
  end,
})
