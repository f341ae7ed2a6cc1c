/**
 * `bun run doctor [--json]`: examines this installation with the variables of a server, and reports what to do for each
 * part. Exit code 1 when something is a problem. It changes nothing, and may run beside a server.
 */
import { parseArgs } from 'node:util'
import { ConfigError } from './config/config-error.ts'
import { type Config, readConfig } from './config.ts'
import { baseMapFindings } from './doctor/base-map.ts'
import { configurationFindings } from './doctor/configuration.ts'
import { diskFindings, folderFindings, speedFindings } from './doctor/disk.ts'
import { causeOf, type Finding, type FindingState, problem } from './doctor/finding.ts'
import { ledgerFindings } from './doctor/ledger.ts'
import { installationFindings, limitFindings, memoryFindings, sandboxFindings } from './doctor/machine.ts'
import { mqttFindings } from './doctor/mqtt.ts'
import { portFindings } from './doctor/ports.ts'
import { storeFindings } from './doctor/stores.ts'

const USAGE = `bun run doctor [--json]

Examines configuration, data folder, ports, MQTT, disk, memory, limits, installation, sandbox, stores and ledger with the
environment of a server. Exit code 1 when there is a problem, 2 for wrong arguments.
`

const MARKS: Record<FindingState, string> = {
  ok: 'ok      ',
  warning: 'WARNING ',
  problem: 'PROBLEM ',
  skipped: '-       ',
}

/** A check that itself fails must not hide the results of the others. */
async function findingsOf(check: string, work: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await work()
  } catch (error) {
    return [problem(check, `it could not be examined: ${causeOf(error)}`, 'Report this with the message.')]
  }
}

export async function examine(environment: Record<string, string | undefined>): Promise<Finding[]> {
  let config: Config | undefined
  const findings: Finding[] = []
  try {
    config = readConfig(environment)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    findings.push(problem('configuration', error.message, 'Correct it; the server does not start with it.'))
  }
  findings.push(...configurationFindings(environment, config))
  findings.push(...(await findingsOf('installation', () => installationFindings(environment.UV_THREADPOOL_SIZE))))
  findings.push(...(await findingsOf('limits', limitFindings)))
  findings.push(...(await findingsOf('sandbox', () => sandboxFindings(config?.workerIsolation))))
  if (config === undefined) return findings
  const known = config
  findings.push(...(await findingsOf('memory', () => memoryFindings(known))))
  findings.push(...(await findingsOf('data folder', () => folderFindings(known))))
  findings.push(...(await findingsOf('ports', () => portFindings(known))))
  findings.push(...(await findingsOf('MQTT', async () => mqttFindings(known))))
  findings.push(...(await findingsOf('disk', () => diskFindings(known))))
  findings.push(...(await findingsOf('disk speed', () => speedFindings(known))))
  findings.push(...(await findingsOf('base map', () => baseMapFindings(known))))
  findings.push(...(await findingsOf('stores', () => storeFindings(known))))
  findings.push(...(await findingsOf('ledger', () => ledgerFindings(known))))
  return findings
}

function textOf(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length))
  const lines = findings.flatMap(({ check, state, found, advice }) => {
    const indent = ' '.repeat(MARKS.ok.length + width + 2)
    return [`${MARKS[state]}${check.padEnd(width)}  ${found}`, ...(advice === null ? [] : [`${indent}→ ${advice}`])]
  })
  const count = (state: FindingState): number => findings.filter((finding) => finding.state === state).length
  return `${lines.join('\n')}\n\n${count('problem')} problems, ${count('warning')} warnings\n`
}

async function main(): Promise<void> {
  let values: { json?: boolean | undefined; help?: boolean | undefined }
  try {
    values = parseArgs({ options: { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } }).values
  } catch (error) {
    process.stderr.write(`${causeOf(error)}\n\n${USAGE}`)
    process.exit(2)
  }
  if (values.help) {
    process.stdout.write(USAGE)
    return
  }
  const findings = await examine(process.env)
  const isHealthy = findings.every(({ state }) => state !== 'problem')
  process.stdout.write(
    values.json ? `${JSON.stringify({ healthy: isHealthy, findings }, undefined, 2)}\n` : textOf(findings),
  )
  process.exit(isHealthy ? 0 : 1)
}

if (import.meta.main) await main()
