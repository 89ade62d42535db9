import { CfnOutput, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib'
import {
  type Attribute,
  AttributeType,
  BillingMode,
  ProjectionType,
  StreamViewType,
  Table,
  TableEncryption,
} from 'aws-cdk-lib/aws-dynamodb'
import { Key } from 'aws-cdk-lib/aws-kms'
import type { Construct } from 'constructs'
import { TABLE_DEFINITION } from '../../functions/store/dynamodb/table-definition.ts'
import { letServicesUse } from '../key-policy.ts'
import type { DeploymentSettings } from '../settings/settings.schema.ts'

export type DataStackProps = StackProps & { settings: DeploymentSettings }

const text = (name: string): Attribute => ({ name, type: AttributeType.STRING })

/** What must outlive everything else: the table, and the keys without which nothing in it can be read. */
export class DataStack extends Stack {
  readonly table: Table
  /** Wraps one data key per project, for sealed credentials. Functions without rights on it can't open any, whatever they read. */
  readonly dataKeyKey: Key
  /** Encrypts what services keep for us: table, queues, logs, topics, bus (docs/decisions/0019). */
  readonly storageKey: Key

  constructor(scope: Construct, id: string, { settings, ...props }: DataStackProps) {
    const retain = settings.removalPolicy === 'retain'
    super(scope, id, { ...props, terminationProtection: retain })
    const removalPolicy = retain ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY
    this.dataKeyKey = new Key(this, 'data-key-key', {
      description: 'fedplane: wraps the data keys that seal credentials',
      enableKeyRotation: true,
      // So that a copy of the table can be read in another Region, too. It can't be changed later.
      multiRegion: true,
      removalPolicy,
    })
    this.storageKey = new Key(this, 'storage-key', {
      description: 'fedplane: encrypts table, queues, logs, topics and bus',
      enableKeyRotation: true,
      removalPolicy,
    })
    letServicesUse(this.storageKey)
    this.table = new Table(this, 'table', {
      partitionKey: text(TABLE_DEFINITION.partitionKey),
      sortKey: text(TABLE_DEFINITION.sortKey),
      billingMode: BillingMode.PAY_PER_REQUEST,
      encryption: TableEncryption.CUSTOMER_MANAGED,
      encryptionKey: this.storageKey,
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
    new CfnOutput(this, 'table-name', { value: this.table.tableName })
  }
}
