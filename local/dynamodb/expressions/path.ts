import { emptyItem, type Item, own, type Value } from '../items/value.ts'
import type { Placeholders } from './placeholders.ts'
import type { Tokens } from './tokens.ts'

/**
 * Words that DynamoDB takes for no attribute in an expression (Reserved words in DynamoDB, developer guide). Held here too, so that an expression
 * that works on one machine is not refused on AWS.
 */
const RESERVED: ReadonlySet<string> = new Set(
  `
    ABORT ABSOLUTE ACTION ADD AFTER AGENT AGGREGATE ALL ALLOCATE ALTER ANALYZE AND ANY ARCHIVE ARE ARRAY AS ASC ASCII ASENSITIVE ASSERTION
    ASYMMETRIC AT ATOMIC ATTACH ATTRIBUTE AUTH AUTHORIZATION AUTHORIZE AUTO AVG BACK BACKUP BASE BATCH BEFORE BEGIN BETWEEN BIGINT BINARY
    BIT BLOB BLOCK BOOLEAN BOTH BREADTH BUCKET BULK BY BYTE CALL CALLED CALLING CAPACITY CASCADE CASCADED CASE CAST CATALOG CHAR CHARACTER
    CHECK CLASS CLOB CLOSE CLUSTER CLUSTERED CLUSTERING CLUSTERS COALESCE COLLATE COLLATION COLLECTION COLUMN COLUMNS COMBINE COMMENT COMMIT
    COMPACT COMPILE COMPRESS CONDITION CONFLICT CONNECT CONNECTION CONSISTENCY CONSISTENT CONSTRAINT CONSTRAINTS CONSTRUCTOR CONSUMED
    CONTINUE CONVERT COPY CORRESPONDING COUNT COUNTER CREATE CROSS CUBE CURRENT CURSOR CYCLE DATA DATABASE DATE DATETIME DAY DEALLOCATE DEC
    DECIMAL DECLARE DEFAULT DEFERRABLE DEFERRED DEFINE DEFINED DEFINITION DELETE DELIMITED DEPTH DEREF DESC DESCRIBE DESCRIPTOR DETACH
    DETERMINISTIC DIAGNOSTICS DIRECTORIES DISABLE DISCONNECT DISTINCT DISTRIBUTE DO DOMAIN DOUBLE DROP DUMP DURATION DYNAMIC EACH ELEMENT
    ELSE ELSEIF EMPTY ENABLE END EQUAL EQUALS ERROR ESCAPE ESCAPED EVAL EVALUATE EXCEEDED EXCEPT EXCEPTION EXCEPTIONS EXCLUSIVE EXEC EXECUTE
    EXISTS EXIT EXPLAIN EXPLODE EXPORT EXPRESSION EXTENDED EXTERNAL EXTRACT FAIL FALSE FAMILY FETCH FIELDS FILE FILTER FILTERING FINAL
    FINISH FIRST FIXED FLATTERN FLOAT FOR FORCE FOREIGN FORMAT FORWARD FOUND FREE FROM FULL FUNCTION FUNCTIONS GENERAL GENERATE GET GLOB
    GLOBAL GO GOTO GRANT GREATER GROUP GROUPING HANDLER HASH HAVE HAVING HEAP HIDDEN HOLD HOUR IDENTIFIED IDENTITY IF IGNORE IMMEDIATE
    IMPORT IN INCLUDING INCLUSIVE INCREMENT INCREMENTAL INDEX INDEXED INDEXES INDICATOR INFINITE INITIALLY INLINE INNER INNTER INOUT INPUT
    INSENSITIVE INSERT INSTEAD INT INTEGER INTERSECT INTERVAL INTO INVALIDATE IS ISOLATION ITEM ITEMS ITERATE JOIN KEY KEYS LAG LANGUAGE
    LARGE LAST LATERAL LEAD LEADING LEAVE LEFT LENGTH LESS LEVEL LIKE LIMIT LIMITED LINES LIST LOAD LOCAL LOCALTIME LOCALTIMESTAMP LOCATION
    LOCATOR LOCK LOCKS LOG LOGED LONG LOOP LOWER MAP MATCH MATERIALIZED MAX MAXLEN MEMBER MERGE METHOD METRICS MIN MINUS MINUTE MISSING MOD
    MODE MODIFIES MODIFY MODULE MONTH MULTI MULTISET NAME NAMES NATIONAL NATURAL NCHAR NCLOB NEW NEXT NO NONE NOT NULL NULLIF NUMBER NUMERIC
    OBJECT OF OFFLINE OFFSET OLD ON ONLINE ONLY OPAQUE OPEN OPERATOR OPTION OR ORDER ORDINALITY OTHER OTHERS OUT OUTER OUTPUT OVER OVERLAPS
    OVERRIDE OWNER PAD PARALLEL PARAMETER PARAMETERS PARTIAL PARTITION PARTITIONED PARTITIONS PATH PERCENT PERCENTILE PERMISSION PERMISSIONS
    PIPE PIPELINED PLAN POOL POSITION PRECISION PREPARE PRESERVE PRIMARY PRIOR PRIVATE PRIVILEGES PROCEDURE PROCESSED PROJECT PROJECTION
    PROPERTY PROVISIONING PUBLIC PUT QUERY QUIT QUORUM RAISE RANDOM RANGE RANK RAW READ READS REAL REBUILD RECORD RECURSIVE REDUCE REF
    REFERENCE REFERENCES REFERENCING REGEXP REGION REINDEX RELATIVE RELEASE REMAINDER RENAME REPEAT REPLACE REQUEST RESET RESIGNAL RESOURCE
    RESPONSE RESTORE RESTRICT RESULT RETURN RETURNING RETURNS REVERSE REVOKE RIGHT ROLE ROLES ROLLBACK ROLLUP ROUTINE ROW ROWS RULE RULES
    SAMPLE SATISFIES SAVE SAVEPOINT SCAN SCHEMA SCOPE SCROLL SEARCH SECOND SECTION SEGMENT SEGMENTS SELECT SELF SEMI SENSITIVE SEPARATE
    SEQUENCE SERIALIZABLE SESSION SET SETS SHARD SHARE SHARED SHORT SHOW SIGNAL SIMILAR SIZE SKEWED SMALLINT SNAPSHOT SOME SOURCE SPACE
    SPACES SPARSE SPECIFIC SPECIFICTYPE SPLIT SQL SQLCODE SQLERROR SQLEXCEPTION SQLSTATE SQLWARNING START STATE STATIC STATUS STORAGE STORE
    STORED STREAM STRING STRUCT STYLE SUB SUBMULTISET SUBPARTITION SUBSTRING SUBTYPE SUM SUPER SYMMETRIC SYNONYM SYSTEM TABLE TABLESAMPLE
    TEMP TEMPORARY TERMINATED TEXT THAN THEN THROUGHPUT TIME TIMESTAMP TIMEZONE TINYINT TO TOKEN TOTAL TOUCH TRAILING TRANSACTION TRANSFORM
    TRANSLATE TRANSLATION TREAT TRIGGER TRIM TRUE TRUNCATE TTL TUPLE TYPE UNDER UNDO UNION UNIQUE UNIT UNKNOWN UNLOGGED UNNEST UNPROCESSED
    UNSIGNED UNTIL UPDATE UPPER URL USAGE USE USER USERS USING UUID VACUUM VALUE VALUED VALUES VARCHAR VARIABLE VARIANCE VARINT VARYING VIEW
    VIEWS VIRTUAL VOID WAIT WHEN WHENEVER WHERE WHILE WINDOW WITH WITHIN WITHOUT WORK WRAPPED WRITE YEAR ZONE
  `
    .trim()
    .split(/\s+/),
)

const isReserved = (word: string): boolean => RESERVED.has(word.toUpperCase())

/** Attribute, then names in maps and places in lists. */
export type Path = readonly [string, ...(string | number)[]]

const parseName = (tokens: Tokens, placeholders: Placeholders): string => {
  const { type, text } = tokens.peek()
  if (type !== 'name' && type !== 'alias') throw tokens.unexpected()
  tokens.take()
  if (type === 'name') {
    if (isReserved(text)) throw tokens.invalid(`Attribute name is a reserved keyword; reserved keyword: ${text}`)
    return text
  }
  const name = placeholders.name(text)
  if (name !== undefined) return name
  throw tokens.invalid(`An expression attribute name used in the document path is not defined; attribute name: ${text}`)
}

const parseIndex = (tokens: Tokens): number => {
  const { type, text } = tokens.take()
  if (type !== 'index') throw tokens.unexpected()
  tokens.demand(']')
  return Number(text)
}

export const parsePath = (tokens: Tokens, placeholders: Placeholders): Path => {
  const path: [string, ...(string | number)[]] = [parseName(tokens, placeholders)]
  for (;;) {
    if (tokens.takeIf('.')) path.push(parseName(tokens, placeholders))
    else if (tokens.takeIf('[')) path.push(parseIndex(tokens))
    else return path
  }
}

/** `[attribute, member]`, as messages show a path. */
const showPath = (path: Path): string =>
  `[${path.map((part) => (typeof part === 'number' ? `[${part}]` : part)).join(', ')}]`

const step = (value: Value, part: string | number): Value | undefined =>
  typeof part === 'number' ? value.L?.[part] : value.M && own(value.M, part)

/** What an item has there; undefined when it has nothing. */
export const resolve = (item: Item, [attribute, ...parts]: Path): Value | undefined =>
  parts.reduce<Value | undefined>((value, part) => value && step(value, part), own(item, attribute))

/** A tree of the paths: what to keep of each attribute; an empty node keeps all. */
type Tree = Map<string | number, Tree>

const toTree = (paths: readonly Path[]): Tree => {
  const root: Tree = new Map()
  for (const path of paths) {
    let node = root
    for (const part of path) {
      const next = node.get(part) ?? new Map()
      node.set(part, next)
      node = next
    }
  }
  return root
}

const pickValue = (value: Value, tree: Tree): Value | undefined => {
  if (tree.size === 0) return value
  if (value.M) {
    const picked = pick(value.M, tree)
    return Object.keys(picked).length === 0 ? undefined : { M: picked }
  }
  const kept = (value.L ?? []).flatMap((member, index) => {
    const below = tree.get(index)
    return (below && pickValue(member, below)) ?? []
  })
  return kept.length === 0 ? undefined : { L: kept }
}

const pick = (item: Item, tree: Tree): Item => {
  const picked = emptyItem()
  for (const [name, below] of tree) {
    const value = own(item, String(name))
    const part = value && pickValue(value, below)
    if (part !== undefined) picked[name] = part
  }
  return picked
}

/** Only what lies on the paths; members of lists move together. */
export const project = (item: Item, paths: readonly Path[]): Item => pick(item, toTree(paths))

const overlap = (one: Path, other: Path): boolean =>
  Array.from({ length: Math.min(one.length, other.length) }, (_, index) => one[index] === other[index]).every(Boolean)

const conflict = (one: Path, other: Path): boolean => {
  const apart = one.findIndex((part, index) => index < other.length && part !== other[index])
  return apart > 0 && typeof one[apart] !== typeof other[apart]
}

/** @throws DynamoError when one path lies within another, or the two take one thing for a map and a list */
export const requireApart = (tokens: Tokens, paths: readonly Path[]): void => {
  const found = (clash: (one: Path, other: Path) => boolean): [Path, Path] | undefined => {
    for (const [index, one] of paths.entries()) {
      const other = paths.slice(0, index).find((before) => clash(before, one))
      if (other) return [other, one]
    }
    return undefined
  }
  const [name, pair] = found(overlap) ? ['overlap', found(overlap)] : ['conflict', found(conflict)]
  if (pair === undefined) return
  throw tokens.invalid(
    `Two document paths ${name} with each other; must remove or rewrite one of these paths; path one: ${showPath(pair[0])}, path two: ${showPath(pair[1])}`,
  )
}
