import type { DynamoDBStreamEvent } from 'aws-lambda'
import { awsFanOut } from '../../runtime/aws-fan-out.ts'
import { fanOutEnv, readEnv } from '../../runtime/env.ts'
import { lazy } from '../../runtime/lazy.ts'
import { fanOutRecords } from './fan-out.ts'

const parts = lazy(() => awsFanOut(readEnv(fanOutEnv)))

/** Lambda entry behind the table's stream. */
export const handler = ({ Records }: DynamoDBStreamEvent): Promise<void> => fanOutRecords(Records, parts())
