;;; tessera-mode.el --- Tessera programs, with eglot  -*- lexical-binding: t; -*-

;; Put this file into a folder of `load-path' and (require 'tessera-mode) into your init file.
;; M-x eglot, or (add-hook 'tessera-mode-hook #'eglot-ensure), starts the language server `tessera-lsp'.

;;; Code:

(require 'python)

(defgroup tessera nil "Programs in Tessera." :group 'languages)

(defcustom tessera-lsp-command '("tessera-lsp")
  "The language server: a program and its arguments."
  :type '(repeat string))

(defvar tessera-font-lock-keywords
  `((,(regexp-opt '("mut" "static" "param") 'symbols) . font-lock-keyword-face)
    (,(rx symbol-start
          (or "bool" "index" "i4" "i8" "i16" "i32" "i64" "u8" "u16" "u32" "u64" "f64" "f32" "f16" "bf16"
              "fp8_e4m3" "fp8_e5m2" "fp6_e3m2" "fp6_e2m3" "fp4_e2m1" "e8m0" "c64")
          symbol-end)
     . font-lock-type-face))
  "What Tessera has beside the words of Python.")

;;;###autoload
(define-derived-mode tessera-mode prog-mode "Tessera"
  "Mode for programs in Tessera."
  :syntax-table python-mode-syntax-table
  (setq-local comment-start "# ")
  (setq-local comment-start-skip "#+\\s-*")
  (setq-local indent-tabs-mode nil)
  (setq-local tab-width 4)
  (setq-local python-indent-guess-indent-offset nil)
  (setq-local python-indent-offset 4)
  (setq-local indent-line-function #'python-indent-line-function)
  (setq-local syntax-propertize-function python-syntax-propertize-function)
  (setq-local font-lock-defaults
              (list (append tessera-font-lock-keywords
                            (if (boundp 'python-font-lock-keywords-level-1) python-font-lock-keywords-level-1)
                            (list (cons (regexp-opt '("and" "as" "assert" "break" "class" "continue" "def" "elif" "else"
                                                      "for" "from" "if" "import" "in" "lambda" "not" "or" "pass"
                                                      "return" "while")
                                                    'symbols)
                                        'font-lock-keyword-face)
                                  (cons (regexp-opt '("True" "False" "None") 'symbols) 'font-lock-constant-face))))))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.tsr\\'" . tessera-mode))

(defvar eglot-server-programs)
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs (cons 'tessera-mode (lambda (&rest _) tessera-lsp-command))))

;; ---- commands of the server ----

(declare-function eglot-current-server "eglot")
(declare-function eglot--pos-to-lsp-position "eglot")
(declare-function eglot--TextDocumentIdentifier "eglot")
(declare-function jsonrpc-request "jsonrpc")

(defun tessera--ask (command &optional level)
  "What the server answers to COMMAND at point; LEVEL is that of the code it shows."
  (let ((server (or (and (fboundp 'eglot-current-server) (eglot-current-server)) (user-error "Start eglot first"))))
    (jsonrpc-request
     server :workspace/executeCommand
     `(:command ,command
       :arguments [(:uri ,(plist-get (eglot--TextDocumentIdentifier) :uri)
                    :position ,(eglot--pos-to-lsp-position)
                    ,@(and level (list :level level)))])
     :timeout 60)))

(defun tessera--run (command)
  "Run the command line that the server answers to COMMAND."
  (save-buffer)
  (let* ((answer (tessera--ask command))
         (default-directory (file-name-as-directory (plist-get answer :folder))))
    (compile (mapconcat #'shell-quote-argument (append (plist-get answer :words) nil) " "))))

(defun tessera-run ()
  "Run the program of this buffer."
  (interactive)
  (tessera--run "tessera.run"))

(defun tessera-sanitize ()
  "Interpret the program, and look for races, indices out of bounds and NaN."
  (interactive)
  (tessera--run "tessera.sanitize"))

(defun tessera-check-gradients ()
  "Compare the derivatives of the function at point with differences."
  (interactive)
  (tessera--run "tessera.checkGradients"))

(defun tessera-show (level)
  "Show the code of the function at point on LEVEL, with the lines that belong to this one marked."
  (interactive (list (completing-read "Level: " '("graph" "tile" "schedule" "target" "ptx") nil t nil nil "tile")))
  (let* ((answer (tessera--ask "tessera.show" level))
         (line (1- (line-number-at-pos)))
         (buffer (get-buffer-create (format "*%s*" (plist-get answer :title))))
         first)
    (with-current-buffer buffer
      (let ((inhibit-read-only t))
        (erase-buffer)
        (remove-overlays)
        (insert (plist-get answer :text))
        (goto-char (point-min))
        (mapc (lambda (source)
                (when (eql source line)
                  (setq first (or first (point)))
                  (overlay-put (make-overlay (point) (line-beginning-position 2)) 'face 'highlight))
                (forward-line 1))
              (plist-get answer :lines)))
      (special-mode))
    (let ((window (display-buffer buffer)))
      (when (and first window) (set-window-point window first)))))

(provide 'tessera-mode)
;;; tessera-mode.el ends here
