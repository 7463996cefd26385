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
