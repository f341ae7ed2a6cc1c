/** Variables that are misspelt, contradict each other, or have no effect. */
import { tracing } from '../config/tracing-variables.ts'
import { isVariable, similarVariable } from '../config/variable-names.ts'
import { SECRET_VARIABLES, VARIABLES } from '../config/variables.ts'
import type { Config } from '../config.ts'
import { isLoopback } from '../multi-host-url.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

type Environment = Record<string, string | undefined>

const CHECK = 'configuration'

/** Variables that are only read together with another one. */
const NEEDS: readonly (readonly [name: string, other: string])[] = [
  ['ADMIN_HOST', 'ADMIN_PORT'],
  ['CLAMD_TIMEOUT_S', 'CLAMD_URL'],
  ['CLAIMS_KEEP_MINUTES', 'REDIS_URL'],
  ['STORE_TIMEOUT_MS', 'CLICKHOUSE_URL'],
  ['MAIL_FROM', 'SMTP_URL'],
  ['OIDC_CLIENT_ID', 'OIDC_ISSUER'],
  ['OIDC_CLIENT_SECRET', 'OIDC_ISSUER'],
]
/** Variables that are not read when another one is set. */
const EXCLUDES: readonly (readonly [name: string, other: string])[] = [
  ['CLAIMS_MEMORY_MB', 'REDIS_URL'],
  ['CLICKHOUSE_MEMORY_MB', 'CLICKHOUSE_URL'],
]

/** OpenTelemetry's variables of metrics and logs. */
const OTHER_SIGNALS = /^OTEL_(\w+_)?(METRICS?|LOGS?|LOGRECORD|BLRP)_/
const TRACING = Object.keys(tracing)
const ENDPOINTS = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']
/** Variables that turn traces off; harmless, since they are off already. */
const SWITCHES = new Set(['OTEL_SDK_DISABLED', 'OTEL_TRACES_EXPORTER'])

/** @param environment the environment that the server would get */
export function checkVariables(environment: Environment): Finding[] {
  const set = Object.keys(environment).filter((name) => (environment[name]?.trim() ?? '') !== '')
  const isSet = (name: string): boolean => set.includes(name) || set.includes(`${name}_FILE`)
  const findings = set.filter((name) => !isVariable(name)).flatMap(unknownVariable)
  for (const [name, other] of NEEDS)
    if (isSet(name) && !isSet(other))
      findings.push(warning(CHECK, `${name} has no effect without ${other}`, `Set ${other}, or remove ${name}.`))
  for (const [name, other] of EXCLUDES)
    if (isSet(name) && isSet(other))
      findings.push(warning(CHECK, `${name} has no effect with ${other}`, `Remove ${name}.`))
  const ofTraces = TRACING.filter((name) => isSet(name) && !SWITCHES.has(name))
  if (ofTraces.length > 0 && !ENDPOINTS.some(isSet))
    findings.push(
      warning(
        CHECK,
        `${ofTraces.join(', ')}: no effect without OTEL_EXPORTER_OTLP_ENDPOINT`,
        'Set it to the address of a collector: there is no default address. Otherwise remove them.',
      ),
    )
  if (isSet('INSTANCE'))
    findings.push(
      problem(CHECK, 'INSTANCE is set', 'Remove it: the supervisor of INSTANCES sets it for each process itself.'),
    )
  return findings
}

function unknownVariable(name: string): Finding[] {
  if (OTHER_SIGNALS.test(name))
    return [
      warning(
        CHECK,
        `${name} has no effect: only traces are sent to collectors of OpenTelemetry`,
        'Remove it. Metrics are at /metrics for Prometheus, and the log is on standard output.',
      ),
    ]
  const plain = name.replace(/_FILE$/, '')
  if (plain !== name && Object.hasOwn(VARIABLES, plain))
    return [
      problem(
        CHECK,
        `${name} is not a variable: ${plain} holds no secret, so it is not read from a file`,
        `Set ${plain}. Files are read for ${SECRET_VARIABLES.map((secret) => `${secret}_FILE`).join(', ')}.`,
      ),
    ]
  const similar = similarVariable(name)
  if (similar === undefined)
    return name.startsWith('OTEL_')
      ? [
          warning(
            CHECK,
            `${name} is not read, so it has no effect`,
            'Remove it. docs/configuration.md has the variables of OpenTelemetry that are read.',
          ),
        ]
      : []
  return [
    problem(
      CHECK,
      `${name} is not a variable, so it has no effect`,
      `Rename it to ${similar} if that is meant. All variables are in docs/configuration.md.`,
    ),
  ]
}

/** Values that are valid alone but do not fit together. */
export function checkCombinations(config: Config): Finding[] {
  const findings: Finding[] = []
  const ports = [
    ['PORT', config.port],
    ['ADMIN_PORT', config.adminPort],
  ] as const
  // 0 is any free port, or none
  for (const [i, [name, port]] of ports.entries())
    for (const [other, otherPort] of ports.slice(i + 1))
      if (port !== 0 && port === otherPort)
        findings.push(problem(CHECK, `${name} and ${other} are both ${port}`, `Give ${other} another port.`))
  if (!config.licenseFeatures.includes('assets'))
    findings.push(
      warning(
        CHECK,
        `LICENSE_FEATURES="${config.licenseFeatures.join(',')}" does not contain assets, so all readings are answered with LICENSE_FEATURE_MISSING`,
        'Add assets if sensors are to send readings.',
      ),
    )
  const isPublic = !isLoopback(config.host)
  if (isPublic && config.adminPort === 0)
    findings.push(
      warning(
        CHECK,
        `HOST=${config.host} gives everyone who reaches PORT access to /metrics and the rights of operators`,
        'Set ADMIN_PORT, or let a reverse proxy refuse /metrics.',
      ),
    )
  if (config.publicUrl?.startsWith('https://') && config.trustedProxies.length === 0)
    findings.push(
      warning(
        CHECK,
        `PUBLIC_URL=${config.publicUrl} needs a proxy with TLS, but TRUSTED_PROXIES is empty: limits of sign-ins and wrong keys count all its callers as one`,
        'Set TRUSTED_PROXIES to the addresses of the proxy.',
      ),
    )
  const { publicUrl } = config
  if (publicUrl === undefined ? isPublic : /^http:/.test(publicUrl) && !isLoopback(new URL(publicUrl).hostname))
    findings.push(
      warning(
        CHECK,
        `PUBLIC_URL is ${publicUrl ?? 'not set'}: keys and sessions may be read on the way, and cookies are not Secure`,
        'Put a reverse proxy with TLS in front and set PUBLIC_URL to its https:// address.',
      ),
    )
  if (config.signUp === 'open' && config.oidc === undefined && config.minFreeDiskBytes === 0)
    findings.push(
      warning(
        CHECK,
        'SIGN_UP=open with MIN_FREE_DISK_MB=0 lets files of strangers fill the disk of the log',
        'Set MIN_FREE_DISK_MB to at least 1024.',
      ),
    )
  return findings
}

/** Findings about the configuration; a single one for all variables when nothing is wrong. */
export function configurationFindings(environment: Environment, config: Config | undefined): Finding[] {
  const findings = [...checkVariables(environment), ...(config === undefined ? [] : checkCombinations(config))]
  const used = Object.keys(environment).filter((name) => isVariable(name))
  return findings.length > 0 || config === undefined
    ? findings
    : [ok(CHECK, used.length === 0 ? 'only defaults' : `set: ${used.sort().join(', ')}`)]
}
