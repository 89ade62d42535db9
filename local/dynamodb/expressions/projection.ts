import { type Path, parsePath, requireApart } from './path.ts'
import type { Placeholders } from './placeholders.ts'
import { Tokens } from './tokens.ts'

/** The paths of a projection. @throws DynamoError for what is none */
export const parseProjection = (text: string, placeholders: Placeholders): Path[] => {
  const tokens = new Tokens('ProjectionExpression', text)
  const paths = [parsePath(tokens, placeholders)]
  while (tokens.takeIf(',')) paths.push(parsePath(tokens, placeholders))
  tokens.requireEnd()
  requireApart(tokens, paths)
  return paths
}
