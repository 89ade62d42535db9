// What the intake of kubeconfigs uses of it.
export { CST, isAlias, isMap, isScalar, isSeq, Lexer, LineCounter, parseAllDocuments } from 'yaml'
