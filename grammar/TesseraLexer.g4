// The words of Tessera. Indentation, brackets and the modes of f-strings are decided by frontend/parse_lex.cpp and
// frontend/parse_layout.cpp, which also give every malformed word its message: no character is without a rule here.
lexer grammar TesseraLexer;

tokens {
    INDENT, DEDENT,
    QUALIFIER,     // `static` or `param` at the head of an annotation
    REFUSED,       // a word that begins a Python statement Tessera lacks
    REFUSED_TAIL,  // `except`, `finally`
    HOLE_CLOSE, SPEC_COLON
}

AND : 'and';
AS : 'as';
ASSERT : 'assert';
BREAK : 'break';
CLASS : 'class';
CONTINUE : 'continue';
DEF : 'def';
ELIF : 'elif';
ELSE : 'else';
FALSE : 'False';
FOR : 'for';
FROM : 'from';
IF : 'if';
IMPORT : 'import';
IN : 'in';
LAMBDA : 'lambda';
MUT : 'mut';
NONE : 'None';
NOT : 'not';
OR : 'or';
PASS : 'pass';
RETURN : 'return';
TRUE : 'True';
WHILE : 'while';

LPAREN : '(';
RPAREN : ')';
LBRACK : '[';
RBRACK : ']';
LBRACE : '{';
RBRACE : '}';
COMMA : ',';
COLON : ':';
SEMI : ';';
DOT : '.';
ELLIPSIS : '...';
ARROW : '->';
BANG : '!';
AT : '@';

ASSIGN : '=';
WALRUS : ':=';
AUGMENTED : '+=' | '-=' | '*=' | '/=' | '//=' | '%=' | '**=' | '@=' | '&=' | '|=' | '^=' | '<<=' | '>>=';
EQ : '==';
NE : '!=';
LT : '<';
LE : '<=';
GT : '>';
GE : '>=';

PLUS : '+';
MINUS : '-';
STAR : '*';
POW : '**';
SLASH : '/';
FLOORDIV : '//';
PERCENT : '%';
AMP : '&';
PIPE : '|';
CARET : '^';
TILDE : '~';
SHL : '<<';
SHR : '>>';

// Anything that begins like a number, so that `12abc` is one bad number and not two words.
NUMBER
    : DIGITS ('.' DIGITS?)? [eE] [+-] WORD*
    | DIGITS '.' WORD*
    | '.' [0-9] [0-9_]* [eE] [+-] WORD*
    | '.' [0-9] WORD*
    | [0-9] WORD*
    ;
fragment DIGITS : [0-9] [0-9_]*;
fragment WORD : [0-9A-Za-z_];

// Letters beyond ASCII are checked against Unicode's XID classes afterwards: the classes would cost milliseconds at
// every start of the process.
NAME : [A-Za-z_\u0080-\u{10FFFF}] [A-Za-z0-9_\u0080-\u{10FFFF}]*;

// The triple-quoted rules also take a string that the end of the file cuts off; the longest match would prefer a rule
// of its own for those.
TRIPLE : [rR]? ('"""' TRIPLE_PART*? ('"""' | '\\'? EOF) | '\'\'\'' TRIPLE_PART*? ('\'\'\'' | '\\'? EOF));
STRING : [rR]? ('"' (STRING_PART | '\'')* '"' | '\'' (STRING_PART | '"')* '\'');
BAD_STRING : [rR]? ('"' (STRING_PART | '\'')* '\\'? | '\'' (STRING_PART | '"')* '\\'?);
fragment TRIPLE_PART : '\\' . | ~'\\';
fragment STRING_PART : '\\' ('\r'? '\n' | ~[\r\n]) | ~[\\'"\r\n];

FSTRING_DOUBLE : [fF] '"' -> pushMode(DOUBLE);
FSTRING_SINGLE : [fF] '\'' -> pushMode(SINGLE);
FSTRING_TRIPLE_DOUBLE : [fF] '"""' -> pushMode(TRIPLE_DOUBLE);
FSTRING_TRIPLE_SINGLE : [fF] '\'\'\'' -> pushMode(TRIPLE_SINGLE);

COMMENT : '#' ~[\r\n]*;
NEWLINE : '\r'? '\n';
JOINED_LINE : '\\' '\r'? '\n' -> skip;
WHITE_SPACE : [ \t\f]+ -> skip;
BAD_CHARACTER : .;

mode DOUBLE;
FSTRING_TEXT : ('\\' ~[\r\n] | '\\' '\r'? '\n' | '{{' | '}}' | ~["\\{}\r\n])+;
HOLE_OPEN : '{';
LONE_BRACE : '}';
FSTRING_END : '"' -> popMode;
BAD_FSTRING_END : '\r'? '\n' -> popMode;
DOUBLE_REST : . -> type(FSTRING_TEXT);

mode SINGLE;
SINGLE_TEXT : ('\\' ~[\r\n] | '\\' '\r'? '\n' | '{{' | '}}' | ~['\\{}\r\n])+ -> type(FSTRING_TEXT);
SINGLE_HOLE : '{' -> type(HOLE_OPEN);
SINGLE_LONE : '}' -> type(LONE_BRACE);
SINGLE_END : '\'' -> type(FSTRING_END), popMode;
SINGLE_BAD : '\r'? '\n' -> type(BAD_FSTRING_END), popMode;
SINGLE_REST : . -> type(FSTRING_TEXT);

mode TRIPLE_DOUBLE;
TRIPLE_DOUBLE_TEXT : ('\\' . | '{{' | '}}' | ~["\\{}])+ -> type(FSTRING_TEXT);
TRIPLE_DOUBLE_HOLE : '{' -> type(HOLE_OPEN);
TRIPLE_DOUBLE_LONE : '}' -> type(LONE_BRACE);
TRIPLE_DOUBLE_END : '"""' -> type(FSTRING_END), popMode;
TRIPLE_DOUBLE_REST : . -> type(FSTRING_TEXT);

mode TRIPLE_SINGLE;
TRIPLE_SINGLE_TEXT : ('\\' . | '{{' | '}}' | ~['\\{}])+ -> type(FSTRING_TEXT);
TRIPLE_SINGLE_HOLE : '{' -> type(HOLE_OPEN);
TRIPLE_SINGLE_LONE : '}' -> type(LONE_BRACE);
TRIPLE_SINGLE_END : '\'\'\'' -> type(FSTRING_END), popMode;
TRIPLE_SINGLE_REST : . -> type(FSTRING_TEXT);

// After the ':' of a hole, up to its '}'. A quote or the end of the line here is not yet the end of the f-string:
// frontend/parse_lex.cpp knows which quote it began with.
mode FORMAT;
FORMAT_TEXT : ~[{}"'\r\n]+ -> type(FSTRING_TEXT);
FORMAT_HOLE : '{' -> type(HOLE_OPEN);
FORMAT_CLOSE : '}' -> type(HOLE_CLOSE);
FORMAT_BREAK : '"' | '\'' | '\r'? '\n' | '\r';
