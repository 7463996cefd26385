// The sentences of Tessera (language reference, section 2). Types are read as expressions: `bf16[M, K] @accum(f32)` is
// a chain of `@` that the tree builder reads anew where an annotation stands. Python forms that Tessera lacks but that
// would derail the parser have alternatives of their own; the tree builder refuses them in words.
parser grammar TesseraParser;

options {
    tokenVocab = TesseraLexer;
    superClass = ParserBase;
    contextSuperClass = ParsedRule;
}

@parser::postinclude {
#include "frontend/parse_base.h"
}

@parser::members {
void enterRule(ParsedRule* context, size_t state, size_t rule) {
    if (rule == RuleTest) enter();
    context->holds_statements = rule == RuleFile || rule == RuleBody;
    ParserBase::enterRule(context, state);
}
}

file : statement* EOF;

// What stands in a string where a type is meant: `"B*H"`, `"bf16 @accum(f32)"`.
typeText : annotation NEWLINE;

statement
    : simpleLine
    | ifStatement
    | forStatement
    | whileStatement
    | definition
    | refused
    ;

// ---- simple statements ----

simpleLine : simple (SEMI simple)* SEMI? NEWLINE;

simple
    : expressionStatement
    | returnStatement
    | assertStatement
    | importStatement
    | fromStatement
    | PASS
    | BREAK
    | CONTINUE
    ;

expressionStatement : testList (assignTail+ | AUGMENTED testList | COLON annotation (ASSIGN testList)?)?;
assignTail : ASSIGN testList;
returnStatement : RETURN testList?;
assertStatement : ASSERT test (COMMA test)?;

importStatement : IMPORT importedModule (COMMA importedModule)*;
importedModule : dottedName (AS NAME)?;
dottedName : NAME (DOT NAME)*;
fromStatement : FROM (DOT | ELLIPSIS)* dottedName? IMPORT (STAR | LPAREN importedNames RPAREN | importedNames);
importedNames : importedName (COMMA importedName)* COMMA?;
importedName : NAME (AS NAME)?;

// ---- compound statements ----

// Without `body` the block is missing.
block : COLON (simpleLine | NEWLINE body?);
body : INDENT statement* DEDENT;

ifStatement : IF test block elifPart* elsePart?;
elifPart : ELIF test block;
elsePart : ELSE block;
forStatement : FOR targetList IN testList block elsePart?;
whileStatement : WHILE test block elsePart?;
targetList : primary (COMMA primary)* COMMA?;

definition : (decorator NEWLINE?)* (functionDefinition | classDefinition);
// A clause is a rule of its own: two adjoining `primary` would make every bracket after a name ambiguous.
decorator : AT primary clause*;
clause : NAME trailer*;
functionDefinition : DEF NAME LPAREN parameters? RPAREN (ARROW annotation)? block;
parameters : parameter (COMMA parameter)* COMMA?;
parameter
    : NAME (COLON annotation)? (ASSIGN test)?
    | (STAR | POW) NAME? (COLON annotation)?
    | SLASH
    ;
annotation : qualifier+ test? | test;
qualifier : MUT | QUALIFIER;
classDefinition : CLASS NAME (LPAREN arguments? RPAREN)? block;

refused : REFUSED ~NEWLINE* NEWLINE body? refusedTail*;
refusedTail : (REFUSED_TAIL | ELSE) ~NEWLINE* NEWLINE body?;

// ---- expressions ----

testList : test (COMMA test)* COMMA?;

test
    : expression (IF test ELSE test)?
    | LAMBDA lambdaParameters? COLON test
    ;
    finally { leave(); }
lambdaParameters : lambdaParameter (COMMA lambdaParameter)* COMMA?;
lambdaParameter : NAME (ASSIGN test)?;

// Operators as they stand, from loose to tight: `or`; `and`; `not`; comparisons, which chain; `|`; `^`; `&`; shifts; sums;
// products; signs; `**`, from the right. The tree builder binds them (frontend/parse_build_expr.cpp): a rule that calls
// itself on the left for each would make the parser predict, with its tables, what the next word alone decides.
expression
    : (PLUS | MINUS | TILDE | NOT)* primary
      ((POW | STAR | AT | SLASH | FLOORDIV | PERCENT | PLUS | MINUS | SHL | SHR | AMP | CARET | PIPE
        | EQ | NE | LT | LE | GT | GE | IN | NOT IN | AND | OR) (PLUS | MINUS | TILDE | NOT)* primary)*
    ;

primary : atom trailer*;
trailer
    : LPAREN arguments? RPAREN
    | LBRACK subscripts RBRACK
    | DOT NAME
    ;
arguments : argument (COMMA argument)* COMMA?;
argument
    : NAME ASSIGN test
    | test comprehension?
    | (STAR | POW) test
    ;
subscripts : subscript (COMMA subscript)* COMMA?;
subscript
    : lower = test (COLON upper = test? (COLON step = test?)?)?
    | COLON upper = test? (COLON step = test?)?
    ;
comprehension : comprehensionClause+;
comprehensionClause : FOR targetList IN expression (IF expression)*;

atom
    : NAME
    | NUMBER
    | strings
    | TRUE
    | FALSE
    | NONE
    | ELLIPSIS
    | LPAREN (testList comprehension?)? RPAREN
    | LBRACK (testList comprehension?)? RBRACK
    | LBRACE (entry (comprehension | (COMMA entry)* COMMA?))? RBRACE
    ;
entry : test COLON test;

strings : (STRING | TRIPLE | fstring)+;
fstring
    : (FSTRING_DOUBLE | FSTRING_SINGLE | FSTRING_TRIPLE_DOUBLE | FSTRING_TRIPLE_SINGLE)
      (FSTRING_TEXT | LONE_BRACE | hole)* FSTRING_END
    ;
hole : HOLE_OPEN testList? ASSIGN? (BANG NAME)? (SPEC_COLON (FSTRING_TEXT | hole)*)? HOLE_CLOSE;
