/** DynamoDB's units: a read of 4 KB, half of it when it need not be consistent, and a write of 1 KB. */
const READ_BYTES = 4096
const WRITE_BYTES = 1024

export const readUnits = (bytes: number, consistent: boolean | undefined): number =>
  Math.max(1, Math.ceil(bytes / READ_BYTES)) * (consistent ? 1 : 0.5)

export const writeUnits = (bytes: number): number => Math.max(1, Math.ceil(bytes / WRITE_BYTES))

type Wanted = { ReturnConsumedCapacity?: 'NONE' | 'TOTAL' | undefined }

/** The member of an answer that tells the units, when they are asked for. */
export const consumed = ({ ReturnConsumedCapacity: wanted }: Wanted, tableName: string, units: number) =>
  wanted === 'TOTAL' ? { ConsumedCapacity: { TableName: tableName, CapacityUnits: units } } : {}

/** The same of a request about several tables. */
export const consumedOf = ({ ReturnConsumedCapacity: wanted }: Wanted, units: ReadonlyMap<string, number>) =>
  wanted === 'TOTAL'
    ? { ConsumedCapacity: [...units].map(([TableName, CapacityUnits]) => ({ TableName, CapacityUnits })) }
    : {}

/** Adds to the units of a table. */
export const count = (units: Map<string, number>, tableName: string, more: number): void => {
  units.set(tableName, (units.get(tableName) ?? 0) + more)
}
