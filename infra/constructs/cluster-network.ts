import { Stack } from 'aws-cdk-lib'
import { CfnSecurityGroup } from 'aws-cdk-lib/aws-ec2'
import type { CfnFunction } from 'aws-cdk-lib/aws-lambda'
import type { Construct } from 'constructs'
import type { DeploymentSettings } from '../settings/settings.schema.ts'

const SECURITY_GROUP = 'clusters-security-group'

/** One for each stack. Functions are called by Lambda and not through the network, so nothing comes in. */
const securityGroupOf = (stack: Stack, vpcId: string): CfnSecurityGroup => {
  const made = stack.node.tryFindChild(SECURITY_GROUP) as CfnSecurityGroup | undefined
  return (
    made ??
    new CfnSecurityGroup(stack, SECURITY_GROUP, {
      groupDescription: 'fedplane: functions that talk to clusters; out only',
      vpcId,
      securityGroupEgress: [
        // Clusters have their API at any port, and where is for the address guard to say.
        { ipProtocol: 'tcp', fromPort: 1, toPort: 65_535, cidrIp: '0.0.0.0/0', description: 'API servers and AWS' },
        { ipProtocol: 'tcp', fromPort: 1, toPort: 65_535, cidrIpv6: '::/0', description: 'API servers and AWS' },
        // Not needed for Amazon's resolver; a VPC may have DNS servers of its own (DHCP options).
        { ipProtocol: 'udp', fromPort: 53, toPort: 53, cidrIp: '0.0.0.0/0', description: 'DNS' },
        { ipProtocol: 'udp', fromPort: 53, toPort: 53, cidrIpv6: '::/0', description: 'DNS' },
      ],
    })
  )
}

/** Where a function is that talks to clusters; undefined without `vpcId`, which is outside of any VPC. */
export const clusterNetwork = (
  scope: Construct,
  { vpcId, subnetIds, dualStack }: DeploymentSettings,
): CfnFunction.VpcConfigProperty | undefined =>
  vpcId === undefined
    ? undefined
    : {
        subnetIds,
        securityGroupIds: [securityGroupOf(Stack.of(scope), vpcId).attrGroupId],
        ...(dualStack ? { ipv6AllowedForDualStack: true } : {}),
      }
