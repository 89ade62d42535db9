import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import fc from 'fast-check'

type Item = Record<string, AttributeValue>

/** A piece of an expression: text, an attribute's path, or a value. */
type Piece = string | { path: (string | number)[] } | { value: AttributeValue }
export type Expression = Piece[]

const texts = fc.constantFrom('a', 'A', 'ab', 'aB', 'b_', 'bx', 'é', '\u{10000}', '\uffff', '')
const numbers = fc.constantFrom('0', '1', '-1', '1.5', '1.50', '10', '9', '-2.25', '1e3', '0.001', '-100')
const binaries = fc.constantFrom([0], [0, 1], [1], [255], [255, 0], [128]).map((bytes) => Uint8Array.from(bytes))

const scalar: fc.Arbitrary<AttributeValue> = fc.oneof(
  texts.map((S) => ({ S })),
  numbers.map((N) => ({ N })),
  binaries.map((B) => ({ B })),
  fc.boolean().map((BOOL) => ({ BOOL })),
  fc.constant({ NULL: true } as AttributeValue),
)
const sets: fc.Arbitrary<AttributeValue> = fc.oneof(
  fc.uniqueArray(texts, { minLength: 1, maxLength: 3 }).map((SS) => ({ SS })),
  fc.uniqueArray(fc.constantFrom('0', '1', '-1', '1.5', '10'), { minLength: 1, maxLength: 3 }).map((NS) => ({ NS })),
)
const value: fc.Arbitrary<AttributeValue> = fc.oneof(
  { weight: 4, arbitrary: scalar },
  { weight: 1, arbitrary: sets },
  { weight: 1, arbitrary: fc.array(scalar, { maxLength: 3 }).map((L) => ({ L })) },
  { weight: 1, arbitrary: fc.dictionary(fc.constantFrom('x', 'y'), scalar, { maxKeys: 2 }).map((M) => ({ M })) },
)

/** Tables that both databases have; keys of all three types. */
export const TABLES = {
  'texts-table': fc.constantFrom('a', 'A', 'ab', 'b_', 'bx', 'é', '\u{10000}', '\uffff').map((S) => ({ S })),
  'numbers-table': fc.constantFrom('0', '1', '-1', '1.5', '10', '9', '-2.25', '-100').map((N) => ({ N })),
  'binaries-table': binaries.map((B) => ({ B })),
} as const satisfies Record<string, fc.Arbitrary<AttributeValue>>
export type TableName = keyof typeof TABLES
const tableNames = fc.constantFrom(...(Object.keys(TABLES) as TableName[]))
const hashes = fc.constantFrom('p', 'q').map((S) => ({ S }))

const keyIn = (table: TableName): fc.Arbitrary<Item> =>
  fc.record({ pk: hashes, sk: TABLES[table] as fc.Arbitrary<AttributeValue> })

/** Mostly what an index takes; sometimes what it must refuse. */
const indexed: fc.Arbitrary<AttributeValue> = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom('k', 'l').map((S) => ({ S })) },
  { weight: 1, arbitrary: fc.constantFrom<AttributeValue>({ N: '1' }, { NULL: true }) },
)
const attributes: fc.Arbitrary<Item> = fc.record(
  {
    v: value,
    w: value,
    n: numbers.map((N) => ({ N })),
    tags: sets,
    m: value,
    l: value,
    kind: indexed,
    rank: fc.oneof({ weight: 9, arbitrary: numbers.map((N): AttributeValue => ({ N })) }, scalar),
  },
  { requiredKeys: [] },
)
const itemIn = (table: TableName): fc.Arbitrary<Item> =>
  fc.tuple(attributes, keyIn(table)).map(([more, key]) => ({ ...more, ...key }))

const attribute: fc.Arbitrary<Piece> = fc
  .constantFrom('v', 'w', 'n', 'tags', 'm', 'l', 'kind', 'rank')
  .map((name) => ({ path: [name] }))
const nested: fc.Arbitrary<Piece> = fc
  .constantFrom<(string | number)[]>(['m', 'x'], ['m', 'y'], ['l', 0], ['l', 1], ['l', 5], ['v', 'x'])
  .map((parts) => ({ path: parts }))
/** Of updates: of a list or map that is not there MiniStack takes some that DynamoDB refuses. */
const updatePath = fc.oneof(
  { weight: 9, arbitrary: attribute },
  { weight: 1, arbitrary: fc.constant<Piece>({ path: ['m', 'x'] }) },
)
const path = fc.oneof({ weight: 9, arbitrary: attribute }, { weight: 2, arbitrary: nested })
/** Of conditions, which may also be about the key. */
const anyPath = fc.oneof({ weight: 9, arbitrary: path }, { weight: 1, arbitrary: fc.constant<Piece>({ path: ['sk'] }) })
const operand = value.map((it): Piece => ({ value: it }))
/** Of types that have an order: of others DynamoDB refuses to be asked, the emulators do not. */
const ordered = fc
  .oneof(
    texts.map((S): AttributeValue => ({ S })),
    numbers.map((N): AttributeValue => ({ N })),
    binaries.map((B): AttributeValue => ({ B })),
  )
  .map((it): Piece => ({ value: it }))
/** Bounds in order and of one type; else DynamoDB refuses, of the emulators only some do. */
const bounds = fc
  .constantFrom<[AttributeValue, AttributeValue]>(
    [{ S: 'A' }, { S: 'b_' }],
    [{ S: 'a' }, { S: 'é' }],
    [{ N: '-2.25' }, { N: '1.5' }],
    [{ N: '9' }, { N: '1e3' }],
    [{ B: Uint8Array.from([0]) }, { B: Uint8Array.from([1]) }],
  )
  .map(([low, high]): [Piece, Piece] => [{ value: low }, { value: high }])
/** Sizes of sets, and beginnings of texts: of what has neither, the emulators tell this and that. */
const leaf: fc.Arbitrary<Expression> = fc.oneof(
  fc.tuple(fc.constantFrom('attribute_exists(', 'attribute_not_exists('), anyPath).map(([name, it]) => [name, it, ')']),
  fc
    .tuple(fc.oneof({ weight: 4, arbitrary: anyPath }, operand), fc.constantFrom(' = ', ' <> '), operand)
    .map((parts) => [...parts]),
  fc.tuple(anyPath, fc.constantFrom(' < ', ' <= ', ' > ', ' >= '), ordered).map((parts) => [...parts]),
  fc.tuple(anyPath, bounds).map(([it, [low, high]]) => [it, ' BETWEEN ', low, ' AND ', high]),
  fc.tuple(anyPath, operand, operand).map(([it, one, other]) => [it, ' IN (', one, ', ', other, ')']),
  fc
    .tuple(
      fc.constant<Piece>({ path: ['kind'] }),
      texts.map((S): Piece => ({ value: { S } })),
    )
    .map(([it, part]) => ['begins_with(', it, ', ', part, ')']),
  fc.tuple(anyPath, operand).map(([it, part]) => ['contains(', it, ', ', part, ')']),
  fc
    .tuple(
      fc.constant<Piece>({ path: ['tags'] }),
      fc.constantFrom(' = ', ' > ', ' <= '),
      fc.constantFrom('0', '1', '2').map((N): Piece => ({ value: { N } })),
    )
    .map(([it, operator, size]) => ['size(', it, ')', operator, size]),
  fc
    .tuple(
      anyPath,
      fc.constantFrom('S', 'N', 'M', 'L', 'SS', 'NULL').map((S): Piece => ({ value: { S } })),
    )
    .map(([it, type]) => ['attribute_type(', it, ', ', type, ')']),
)
const condition: fc.Arbitrary<Expression> = fc.oneof(
  { weight: 5, arbitrary: leaf },
  { weight: 1, arbitrary: leaf.map((it) => ['NOT ', ...it]) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(leaf, fc.constantFrom(' AND ', ' OR '), leaf, fc.constantFrom(' AND NOT ', ' OR '), leaf)
      .map(([a, one, b, other, c]) => [...a, one, '(', ...b, other, ...c, ')']),
  },
)
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 })

const source: fc.Arbitrary<Expression> = fc.oneof(
  { weight: 4, arbitrary: operand.map((it) => [it]) },
  path.map((it) => [it]),
  fc.tuple(path, operand).map(([it, otherwise]) => ['if_not_exists(', it, ', ', otherwise, ')']),
  fc.tuple(path, fc.constantFrom(' + ', ' - '), numbers).map(([it, sign, N]) => [it, sign, { value: { N } }]),
  fc.tuple(path, scalar).map(([it, member]) => ['list_append(', it, ', ', { value: { L: [member] } }, ')']),
)
const clause = (word: string, part: fc.Arbitrary<Expression>): fc.Arbitrary<Expression> =>
  fc
    .array(part, { minLength: 1, maxLength: 2 })
    .map((parts) => [word, ...parts.flatMap((it, index) => (index === 0 ? it : [', ', ...it])), ' '])
/** Paths that may be one within the other: dynoxide and MiniStack take some that DynamoDB refuses. */
const hasOverlap = (expression: Expression): boolean => {
  const names = expression.flatMap((piece) => (typeof piece === 'object' && 'path' in piece ? [piece.path[0]] : []))
  return new Set(names).size < names.length
}
const update: fc.Arbitrary<Expression> = fc
  .tuple(
    maybe(
      clause(
        'SET ',
        fc.tuple(updatePath, source).map(([it, to]) => [it, ' = ', ...to]),
      ),
    ),
    maybe(
      clause(
        'REMOVE ',
        attribute.map((it) => [it]),
      ),
    ),
    maybe(
      clause(
        'ADD ',
        fc
          .tuple(
            attribute,
            fc.oneof(
              numbers.map((N): AttributeValue => ({ N })),
              sets,
            ),
          )
          .map(([it, more]) => [it, ' ', { value: more }]),
      ),
    ),
    maybe(
      clause(
        'DELETE ',
        fc.tuple(attribute, sets).map(([it, less]) => [it, ' ', { value: less }]),
      ),
    ),
  )
  .map((clauses) => clauses.flatMap((it) => it ?? []))
  .filter((expression) => expression.length > 0 && !hasOverlap(expression))

export type Write =
  | { kind: 'put'; table: TableName; item: Item; condition?: Expression | undefined }
  | { kind: 'update'; table: TableName; key: Item; update: Expression; condition?: Expression | undefined }
  | { kind: 'delete' | 'check'; table: TableName; key: Item; condition?: Expression | undefined }

const put = tableNames.chain((table) =>
  fc.record({
    kind: fc.constant('put' as const),
    table: fc.constant(table),
    item: itemIn(table),
    condition: maybe(condition),
  }),
)
const writes: fc.Arbitrary<Write> = fc.oneof(
  { weight: 2, arbitrary: put },
  {
    weight: 3,
    arbitrary: tableNames.chain((table) =>
      fc.record({
        kind: fc.constant('update' as const),
        table: fc.constant(table),
        key: keyIn(table),
        update,
        condition: maybe(condition),
      }),
    ),
  },
  tableNames.chain((table) =>
    fc.record({
      kind: fc.constant('delete' as const),
      table: fc.constant(table),
      key: keyIn(table),
      condition: maybe(condition),
    }),
  ),
)
const checks: fc.Arbitrary<Write> = tableNames.chain((table) =>
  fc.record({ kind: fc.constant('check' as const), table: fc.constant(table), key: keyIn(table), condition }),
)

export type ListCommand = {
  kind: 'query' | 'scan'
  table: TableName
  index?: 'by-kind' | 'by-rank' | undefined
  keyCondition?: Expression
  filter?: Expression | undefined
  limit?: number | undefined
  backward?: boolean
}

export type Command =
  | (Write & { returns?: string | undefined })
  | { kind: 'transact'; writes: Write[] }
  | { kind: 'get'; table: TableName; key: Item }
  | ListCommand

const NOTHING: Expression = []

const sortCondition = (key: string, keys: fc.Arbitrary<AttributeValue>): fc.Arbitrary<Expression> => {
  const bound = keys.map((it): Piece => ({ value: it }))
  const at: Piece = { path: [key] }
  return fc.oneof(
    fc.constant(NOTHING),
    fc
      .tuple(fc.constantFrom(' = ', ' < ', ' <= ', ' > ', ' >= '), bound)
      .map(([operator, it]) => [' AND ', at, operator, it]),
    fc.tuple(bound, bound).map(([low, high]) => [' AND ', at, ' BETWEEN ', low, ' AND ', high]),
    // Of numbers nothing begins with anything: DynamoDB refuses that, dynoxide does not.
    bound.map((prefix) =>
      typeof prefix === 'object' && 'value' in prefix && prefix.value.N !== undefined
        ? NOTHING
        : [' AND ', 'begins_with(', at, ', ', prefix, ')'],
    ),
  )
}
const paging = {
  limit: maybe(fc.integer({ min: 1, max: 4 })),
  filter: fc.option(condition, { nil: undefined, freq: 4 }),
}

/** A filter may not be about keys. */
const withoutKeys = ({ filter, ...rest }: ListCommand): ListCommand => {
  const isAboutKeys = filter?.some(
    (piece) => typeof piece === 'object' && 'path' in piece && ['sk', 'kind', 'rank'].includes(String(piece.path[0])),
  )
  return isAboutKeys ? rest : { ...rest, filter }
}
const lists: fc.Arbitrary<ListCommand> = tableNames.chain((table) =>
  fc
    .oneof(
      fc.record({
        kind: fc.constant('query' as const),
        table: fc.constant(table),
        keyCondition: fc
          .tuple(hashes, sortCondition('sk', TABLES[table] as fc.Arbitrary<AttributeValue>))
          .map(([hash, more]): Expression => [{ path: ['pk'] }, ' = ', { value: hash }, ...more]),
        backward: fc.boolean(),
        ...paging,
      }),
      fc.record({
        kind: fc.constant('query' as const),
        table: fc.constant(table),
        index: fc.constant('by-kind' as const),
        keyCondition: fc
          .tuple(
            fc.constantFrom('k', 'l'),
            sortCondition(
              'rank',
              numbers.map((N) => ({ N })),
            ),
          )
          .map(([S, more]): Expression => [{ path: ['kind'] }, ' = ', { value: { S } }, ...more]),
        backward: fc.boolean(),
        limit: paging.limit,
      }),
      fc.record({ kind: fc.constant('scan' as const), table: fc.constant(table), filter: paging.filter }),
    )
    .map(withoutKeys),
)

export const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(writes, fc.option(fc.constantFrom('ALL_OLD', 'ALL_NEW', 'UPDATED_OLD', 'UPDATED_NEW'), { nil: undefined }))
      .map(([it, returns]) => ({
        ...it,
        returns: it.kind === 'update' || returns === 'ALL_OLD' ? returns : undefined,
      })),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('transact' as const),
      writes: fc.array(fc.oneof({ weight: 4, arbitrary: writes }, checks), { minLength: 1, maxLength: 4 }),
    }),
  },
  {
    weight: 1,
    arbitrary: tableNames.chain((table) =>
      fc.record({ kind: fc.constant('get' as const), table: fc.constant(table), key: keyIn(table) }),
    ),
  },
  { weight: 3, arbitrary: lists },
)
