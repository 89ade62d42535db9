import { Secret } from '../../../functions/core/values/secret.ts'
import { eksV1 } from '../../../functions/drivers/cluster/eks/v1/index.ts'
import type { ClusterDriver } from '../../../functions/drivers/contract/cluster-driver.ts'
import { AwsStandIn, REGION } from '../aws/aws-stand-in.ts'
import { type EksCluster, startEksCluster } from '../aws/eks-cluster.ts'
import type { ClusterLab } from './cluster-life.ts'
import { connect } from './test-cluster.ts'

export const OWN_ROLE = 'arn:aws:iam::111122223333:role/fedplane-keys'
const OWN_SESSION = 'arn:aws:sts::111122223333:assumed-role/fedplane-keys/keys'
export const MEMBER_ROLE = 'arn:aws:iam::444455556666:role/fedplane'
export const EXTERNAL_ID = 'external-id-that-must-not-be-seen'

/** An AWS with a role of another account that fedplane assumes with an external ID, and a driver that knows it. `aws` is to be started. */
export type EksWorld = {
  aws: AwsStandIn
  driver: ClusterDriver
  /** What a test moves on; beginning now. */
  clock: { now: Date }
  /** Texts that must not be seen. */
  secrets: readonly string[]
}

export const eksWorld = (): EksWorld => {
  const clock = { now: new Date() }
  const aws = new AwsStandIn()
  aws.now = () => clock.now
  aws.roles.set(MEMBER_ROLE, { externalId: EXTERNAL_ID, sessionName: 'fedplane-local' })
  const own = aws.issue(OWN_SESSION)
  return {
    aws,
    clock,
    driver: eksV1({ aws: aws.accessOf(() => own), now: () => clock.now }),
    secrets: [
      EXTERNAL_ID,
      own.secretAccessKey.reveal(),
      own.sessionToken?.reveal() ?? '',
      'k8s-aws-v1.',
      'X-Amz-Signature',
    ],
  }
}

export type EksLab = ClusterLab & { name: string; eks: EksCluster; close(): Promise<void> }

let number = 0

/** Another EKS cluster of that world, whose access entries let the role in. */
export const openEksLab = async (
  { aws, secrets }: EksWorld,
  entries: readonly string[] = [MEMBER_ROLE],
): Promise<EksLab> => {
  number += 1
  const name = `shop_${number}`
  const eks = await startEksCluster(aws, { name, entries })
  aws.clusters.set(name, { status: 'ACTIVE', endpoint: eks.server, caPem: eks.caPem })
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => {
    closing ??= eks.close()
    return closing
  }
  return {
    name,
    eks,
    driverState: { eks: { name, region: REGION, role_arn: MEMBER_ROLE } },
    credential: async () => new Secret(JSON.stringify({ external_id: EXTERNAL_ID })),
    connect,
    secrets,
    stop: close,
    close,
  }
}
