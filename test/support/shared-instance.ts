/**
 * One server for all test files of a process that need no special variables. The service is multi-tenant: each file makes
 * enterprises of its own, and never asserts on things of the whole server, such as the number of enterprises.
 */
import { createInstance, type Instance } from './instance.ts'
import { atRunEnd } from './run-end.ts'

/** Limits that are the subject of other tests. */
const GENEROUS = {
  CALLS_PER_MINUTE: '1000000',
  SENSOR_CALLS_PER_MINUTE: '1000000',
  TOOL_API_CALLS_PER_MINUTE: '1000000',
  ASSETS_CALLS_PER_MINUTE: '1000000',
  ASSETS_UPLOADS_PER_MINUTE: '1000000',
  SIGN_INS_PER_ADDRESS: '1000000',
  KEY_FAILURES_PER_MINUTE: '1000000',
  FILES_PER_HOUR: '1000000',
}

// modules are loaded anew for each test file
const shared = globalThis as { groundwaveInstance?: Promise<Instance> }

async function start(): Promise<Instance> {
  const instance = await createInstance(GENEROUS)
  atRunEnd(instance.remove)
  return instance
}

const refuse = (what: string) => (): never => {
  throw new Error(`a shared server cannot be ${what}; use createInstance`)
}

/** `remove` does nothing, and `log` begins where this call was made. */
export async function sharedInstance(): Promise<Instance> {
  shared.groundwaveInstance ??= start()
  const instance = await shared.groundwaveInstance
  const logged = instance.log().length
  return {
    ...instance,
    log: () => instance.log().slice(logged),
    kill: refuse('killed'),
    restart: refuse('restarted'),
    remove: async () => undefined,
  }
}
