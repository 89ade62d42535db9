import { afterAll, beforeAll } from 'vitest'
import { eksWorld, openEksLab } from '../../support/drivers/eks-lab.ts'
import { describeClusterDriver } from './cluster-suite.ts'

const world = eksWorld()
beforeAll(() => world.aws.start())
afterAll(() => world.aws.close())

describeClusterDriver(world.driver, { open: () => openEksLab(world) })
