/** Two instances that share real stores, with an enterprise. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { atRunEnd, onceInProcess } from '../run-end.ts'
import { startBucket } from '../stores/bucket.ts'
import { freePort } from '../stores/postgres.ts'
import { type SharedStores, startSharedStores } from '../stores/shared-stores.ts'
import { createInstance, type Instance, type Organization } from './instance.ts'

export type TwoInstances = {
  stores: SharedStores
  /** Variables of the instances, to start further ones. */
  env: Record<string, string>
  instances: Instance[]
  organization: Organization
}

/** @param more variables */
export async function startTwoInstances(more: Record<string, string> = {}, tier = 'scale'): Promise<TwoInstances> {
  const stores = await startSharedStores()
  const env = { ...stores.env, SENSOR_CALLS_PER_MINUTE: '100000', LOOKUP_TIMEOUT_MS: '5000', ...more }
  const instances = [await createInstance(env), await createInstance(env)]
  return { stores, env, instances, organization: await (instances[0] as Instance).organization(tier) }
}

/** @param started without stores if the start failed */
export async function removeInstances(started: { instances: Instance[]; stores: SharedStores | undefined }) {
  for (const instance of started.instances) await instance.remove()
  await started.stores?.remove()
}

export const SENSOR_CALLS = 30

/** Low limits, which tests reach; files are in S3, and jobs wait for a worker. */
const LIMITS = {
  SENSOR_CALLS_PER_MINUTE: String(SENSOR_CALLS),
  TOOL_API_CALLS_PER_MINUTE: '40',
  FILES_PER_HOUR: '8',
  JOB_SLOTS: '0',
  SIGN_INS_PER_ADDRESS: '100000',
  SIGN_INS_PER_ACCOUNT: '6',
  RETENTION_GRACE_MINUTES: '0',
}
export const TOOL_API_CALLS = Number(LIMITS.TOOL_API_CALLS_PER_MINUTE)

type Pair = {
  stores: SharedStores
  env: Record<string, string>
  one: Instance
  /** Where `one` listens for MQTT. */
  mqttPort: number
  other: Instance
  bucketDir: string
}

async function startPair(): Promise<Pair> {
  const stores = await startSharedStores()
  atRunEnd(stores.remove)
  const bucketDir = join(stores.home, 'bucket')
  const bucket = await startBucket(bucketDir)
  atRunEnd(bucket.kill)
  const env = { ...stores.env, ...LIMITS, S3_URL: bucket.url, LOOKUP_TIMEOUT_MS: '5000' }
  const mqttPort = await freePort()
  const one = await createInstance({ ...env, MQTT_PORT: String(mqttPort) })
  const other = await createInstance(env)
  for (const instance of [one, other]) atRunEnd(instance.remove)
  return { stores, env, one, mqttPort, other, bucketDir }
}

/**
 * Two instances for all test files of a process, like `sharedInstance`. A file restarts the instances that it kills.
 */
export async function sharedPair(): Promise<Pair> {
  const pair = await onceInProcess('pair', startPair)
  for (const { pid, restart } of [pair.one, pair.other]) if (!existsSync(`/proc/${pid()}`)) await restart()
  return pair
}
