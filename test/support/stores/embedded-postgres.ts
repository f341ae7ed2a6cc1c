/** Processes and files of an instance's embedded PostgreSQL, and a write to it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { processesIn } from '../processes.ts'
import type { Instance } from '../server/instance.ts'

/** The postmaster and its child processes: their working directory is the data folder. */
export const postgresIn = (dataDir: string): number[] => processesIn(join(dataDir, 'postgres'))

export const postmasterOf = (dataDir: string): number =>
  Number(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n')[0])

export const createEnterprise = (instance: Instance, name: string): Promise<Response> =>
  fetch(`${instance.url()}/manage/v1/enterprises`, {
    method: 'POST',
    headers: { authorization: `Bearer ${instance.operatorToken()}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name, tier: 'scale' }),
  })
