import { describe } from 'vitest'
import { dynamoSubject } from '../../support/store/dynamo-subject.ts'
import { storeContract } from './store.contract.ts'

describe('stores on DynamoDB', () => storeContract(dynamoSubject))
