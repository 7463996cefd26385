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

(provide 'tessera-mode)
;;; tessera-mode.el ends here
