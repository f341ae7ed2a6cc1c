/**
 * Servers for all test files of a process that need no special variables. The service is multi-tenant: each file
 * creates separate enterprises, and never asserts on totals of the server, such as the number of enterprises.
 */
import { existsSync } from 'node:fs'
import { atRunEnd, onceInProcess } from '../run-end.ts'
import { createInstance, type Instance } from './instance.ts'

export const STREAMS = 5
export const CALLS_PER_MINUTE = 30
const VARIABLES = {
  /** Limits that other tests cover. */
  generous: {
    CALLS_PER_MINUTE: '1000000',
    SENSOR_CALLS_PER_MINUTE: '1000000',
    TOOL_API_CALLS_PER_MINUTE: '1000000',
    ASSETS_CALLS_PER_MINUTE: '1000000',
    ASSETS_UPLOADS_PER_MINUTE: '1000000',
    SIGN_INS_PER_ADDRESS: '1000000',
    KEY_FAILURES_PER_MINUTE: '1000000',
    FILES_PER_HOUR: '1000000',
    MANAGE_WRITES_PER_MINUTE: '1000000',
    ASSETS_STREAMS: String(STREAMS),
  },
  /** The product's limits, and shorter times. */
  limited: {
    FILES_PER_HOUR: '60',
    CALLS_PER_MINUTE: String(CALLS_PER_MINUTE),
    KEY_FAILURES_PER_MINUTE: '1000000',
    BODY_TIMEOUT_MS: '3000',
    UPLOAD_TIMEOUT_S: '3',
  },
}
type Kind = keyof typeof VARIABLES
type Shared = { instance: Instance; isChanged: boolean }

async function start(kind: Kind): Promise<Shared> {
  const instance = await createInstance(VARIABLES[kind])
  atRunEnd(instance.remove)
  return { instance, isChanged: false }
}

async function instanceOf(kind: Kind): Promise<Instance> {
  const state = await onceInProcess(`instance ${kind}`, () => start(kind))
  const { instance } = state
  async function restart(env: Record<string, string> = {}): Promise<void> {
    await instance.restart(env)
    state.isChanged = Object.keys(env).length > 0
  }
  async function kill(signal: NodeJS.Signals): Promise<number | null> {
    state.isChanged = true
    return await instance.kill(signal)
  }
  // the test runner ends the programs of a test that took too long
  if (state.isChanged || !existsSync(`/proc/${instance.pid()}`)) {
    await kill('SIGTERM')
    await restart()
  }
  const logged = Buffer.byteLength(instance.log())
  return { ...instance, log: (from = 0) => instance.log(logged + from), kill, restart, remove: async () => undefined }
}

/**
 * A server whose rate limits are out of reach. A file may kill it and start it again, also with other variables: files
 * of a process run one after the other, and the next file gets a server with the usual variables. `remove` does
 * nothing, and `log` begins where this call was made.
 */
export const sharedInstance = (): Promise<Instance> => instanceOf('generous')

/** Like `sharedInstance`, with the product's default limits. */
export const limitedInstance = (): Promise<Instance> => instanceOf('limited')
