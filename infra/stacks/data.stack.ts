import { RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib'
import {
  type Attribute,
  AttributeType,
  BillingMode,
  ProjectionType,
  StreamViewType,
  Table,
} from 'aws-cdk-lib/aws-dynamodb'
import { Key } from 'aws-cdk-lib/aws-kms'
import type { Construct } from 'constructs'
import { TABLE_DEFINITION } from '../../functions/store/dynamodb/table-definition.ts'

export type DataStackProps = StackProps & {
  /** True keeps table and key when the stack goes, and refuses to delete the table. Default: true; false is for throw-away deployments. */
  retain?: boolean
}

const text = (name: string): Attribute => ({ name, type: AttributeType.STRING })

/** What must outlive everything else: the table, and the key that its sealed credentials need. */
export class DataStack extends Stack {
  readonly table: Table
  /** Wraps one data key per project; the table's own encryption is AWS's. */
  readonly dataKeyKey: Key

  constructor(scope: Construct, id: string, { retain = true, ...props }: DataStackProps = {}) {
    super(scope, id, props)
    const removalPolicy = retain ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY
    this.dataKeyKey = new Key(this, 'data-key-key', {
      description: 'fedplane: wraps the data keys that seal credentials',
      enableKeyRotation: true,
      removalPolicy,
    })
    this.table = new Table(this, 'table', {
      partitionKey: text(TABLE_DEFINITION.partitionKey),
      sortKey: text(TABLE_DEFINITION.sortKey),
      billingMode: BillingMode.PAY_PER_REQUEST,
      stream: StreamViewType[TABLE_DEFINITION.streamViewType],
      timeToLiveAttribute: TABLE_DEFINITION.ttlAttribute,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: retain,
      removalPolicy,
    })
    for (const index of TABLE_DEFINITION.indexes) {
      this.table.addGlobalSecondaryIndex({
        indexName: index.name,
        partitionKey: text(index.partitionKey),
        sortKey: text(index.sortKey),
        projectionType: ProjectionType.KEYS_ONLY,
      })
    }
  }
}
