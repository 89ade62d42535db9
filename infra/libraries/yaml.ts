// What the intake of kubeconfigs uses of it.
export { CST, isScalar, Lexer, LineCounter, parseAllDocuments, visit } from 'yaml'
