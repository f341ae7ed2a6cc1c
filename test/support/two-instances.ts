/** Two instances that share real stores, with an enterprise. */
import { createInstance, type Instance, type Organization } from './instance.ts'
import { type SharedStores, startSharedStores } from './shared-stores.ts'

export type TwoInstances = {
  stores: SharedStores
  /** Variables of the instances, for further ones. */
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

/** @param started without stores where the start failed */
export async function removeInstances(started: { instances: Instance[]; stores: SharedStores | undefined }) {
  for (const instance of started.instances) await instance.remove()
  await started.stores?.remove()
}
