/** Gauges, read at each scrape: queues, resources in use, and free capacity. */
import type { Registry } from 'prom-client'
import { instrumentsOf } from './instruments.ts'

export type IngestNow = {
  bytesWaiting: number
  segmentsWaiting: number
  segmentsChecked: number
  sensorsInMemory: number
  takesMore: boolean
  /** Age of the oldest rows not yet stored in ClickHouse. */
  lagSeconds: number
}

/** Segments in ClickHouse that alert rules have still to judge, and the age of the oldest. */
export type AlertsNow = { segments: number; bytes: number; lagSeconds: number; rulesGivenUp: number }

/** Deliveries of events of all instances. Deliveries of suspended enterprises wait, and do not count. */
export type DeliveriesNow = { pending: number; oldestSeconds: number; disabledDestinations: number }

export type LaneNow = {
  lane: string
  isAvailable: boolean
  workers: number
  waiting: number
  background: number
  processes: { state: string; bytes: number }[]
}

/** Gauges of every process that runs tools. */
export type ProcessNow = {
  version: string
  lanes: readonly LaneNow[]
  /** Undefined when PostgreSQL cannot be asked. */
  jobs: { waiting: number; running: number; oldestSeconds: number } | undefined
  jobSlots: { limit: number; busy: number }
  /** The last check of any instance; undefined when PostgreSQL cannot be asked, or there was none. */
  ledger: { endedS: number; found: Record<string, number> } | undefined
  disk: { freeBytes: number; totalBytes: number; reserveBytes: number }
  storesUp: Record<string, boolean>
}

/** Gauges of a server. */
export type Now = ProcessNow & {
  ingest: IngestNow
  alerts: AlertsNow
  /** Undefined when PostgreSQL cannot be asked. */
  deliveries: DeliveriesNow | undefined
  logCeilingBytes: number
  uploads: number
}

type Figure<Source> = readonly [name: string, help: string, value: (source: Source) => number | undefined]

const ofLane: readonly Figure<LaneNow>[] = [
  ['tool_lane_available', '1 while the lane can run tools, otherwise 0', (lane) => (lane.isAvailable ? 1 : 0)],
  ['tool_workers_limit', 'Most worker processes of the lane', (lane) => lane.workers],
  [
    'tool_workers_busy',
    'Worker processes of the lane that work on a run',
    ({ processes }) => processes.filter(({ state }) => state === 'running').length,
  ],
  [
    'tool_workers_resident_memory_bytes',
    'Resident memory of the lane’s worker processes',
    ({ processes }) => processes.reduce((sum, { bytes }) => sum + bytes, 0),
  ],
  ['tool_queue_length', 'Calls that wait for a worker process of the lane', (lane) => lane.waiting],
  ['tool_background_queue_length', 'Jobs that wait for a worker process of the lane', (lane) => lane.background],
]

const ofProcess: readonly Figure<ProcessNow>[] = [
  ['jobs_waiting', 'Jobs of all instances that no process works on', ({ jobs }) => jobs?.waiting],
  ['jobs_running', 'Jobs of all instances that a process works on', ({ jobs }) => jobs?.running],
  ['jobs_oldest_wait_seconds', 'Age of the oldest job that no process works on', ({ jobs }) => jobs?.oldestSeconds],
  ['job_slots', 'Jobs that this process runs at a time', ({ jobSlots }) => jobSlots.limit],
  ['job_slots_busy', 'Jobs that this process works on', ({ jobSlots }) => jobSlots.busy],
  [
    'ledger_checked_timestamp_seconds',
    'End of the last check that runs, credits, jobs and files agree, in seconds since 1970',
    ({ ledger }) => ledger?.endedS,
  ],
  ['disk_free_bytes', 'Free space of the disk of DATA_DIR', ({ disk }) => disk.freeBytes],
  ['disk_size_bytes', 'Size of the disk of DATA_DIR', ({ disk }) => disk.totalBytes],
  ['disk_reserve_bytes', 'Free space below which files are refused', ({ disk }) => disk.reserveBytes],
]

const ofServer: readonly Figure<Now>[] = [
  ['log_bytes', 'Bytes in segments not yet stored in ClickHouse', ({ ingest }) => ingest.bytesWaiting],
  ['log_ceiling_bytes', 'Bytes in segments at which readings are refused', (now) => now.logCeilingBytes],
  ['log_segments', 'Segments not yet stored in ClickHouse', ({ ingest }) => ingest.segmentsWaiting],
  [
    'zone_check_segments',
    'Segments in ClickHouse whose readings are still to be checked against zone rules',
    ({ ingest }) => ingest.segmentsChecked,
  ],
  ['alert_segments', 'Segments in ClickHouse still to be judged by alert rules', ({ alerts }) => alerts.segments],
  ['alert_segment_bytes', 'Bytes in segments still to be judged by alert rules', ({ alerts }) => alerts.bytes],
  [
    'alert_lag_seconds',
    'Age of the oldest segment still to be judged by alert rules',
    ({ alerts }) => alerts.lagSeconds,
  ],
  [
    'alert_rules_given_up',
    'Alert rules that are not judged, because judging them threw an error',
    ({ alerts }) => alerts.rulesGivenUp,
  ],
  [
    'deliveries_pending',
    'Deliveries of events of all instances that are still to be made',
    (now) => now.deliveries?.pending,
  ],
  [
    'deliveries_oldest_pending_seconds',
    'Age of the oldest delivery that is still to be made',
    (now) => now.deliveries?.oldestSeconds,
  ],
  [
    'destinations_disabled',
    'Destinations of events that the server switched off, because they failed for too long or are gone',
    (now) => now.deliveries?.disabledDestinations,
  ],
  ['claims_sensors', 'Sensors whose latest timestamps are held in memory', ({ ingest }) => ingest.sensorsInMemory],
  ['ingest_open', '1 while the server accepts readings, otherwise 0', ({ ingest }) => (ingest.takesMore ? 1 : 0)],
  ['log_lag_seconds', 'Age of the oldest rows not yet stored in ClickHouse', ({ ingest }) => ingest.lagSeconds],
  ['uploads_under_way', 'Forms with files that are being received', (now) => now.uploads],
]

/** @returns sets a gauge for each figure */
function gaugesOf<Source>(registry: Registry, figures: readonly Figure<Source>[], ...labelNames: string[]) {
  const { gauge } = instrumentsOf(registry)
  const gauges = figures.map(([name, help, value]) => ({ of: gauge(name, help, ...labelNames), value }))
  return (source: Source, labels: Record<string, string> = {}): void => {
    for (const { of, value } of gauges) {
      const figure = value(source)
      // unknown is not the same as none
      if (figure === undefined) of.remove(labels)
      else of.set(labels, figure)
    }
  }
}

/** @returns sets all of them */
export function createProcessGauges(registry: Registry): (now: ProcessNow) => void {
  const { gauge, counter } = instrumentsOf(registry)
  const build = gauge('groundwave_build_info', 'Always 1, with the version of the process', 'version')
  const started = gauge('process_start_time_seconds', 'Start of the process, in seconds since 1970')
  const resident = gauge(
    'process_resident_memory_bytes',
    'Resident memory of the process, without its worker processes',
  )
  const cpu = counter(
    'process_cpu_seconds_total',
    'User and system CPU time of the process, without its worker processes',
  )
  const setLane = gaugesOf(registry, ofLane, 'lane')
  const setProcess = gaugesOf(registry, ofProcess)
  const stores = gauge('store_up', '1 while the part answers its health check, otherwise 0', 'store')
  const ledger = gauge('ledger_disagreements', 'Rows that did not agree at the last check, by the rule', 'rule')
  started.set(performance.timeOrigin / 1000)

  return (now) => {
    build.set({ version: now.version }, 1)
    resident.set(process.memoryUsage.rss())
    const { user, system } = process.cpuUsage()
    cpu.reset()
    cpu.inc((user + system) / 1e6)
    for (const lane of now.lanes) setLane(lane, { lane: lane.lane })
    setProcess(now)
    ledger.reset()
    for (const [rule, rows] of Object.entries(now.ledger?.found ?? {})) ledger.set({ rule }, rows)
    for (const [store, up] of Object.entries(now.storesUp)) stores.set({ store }, up ? 1 : 0)
  }
}

/** All gauges of a server, readings and requests included. @returns sets all of them */
export function createGauges(registry: Registry): (now: Now) => void {
  const setProcess = createProcessGauges(registry)
  const setServer = gaugesOf(registry, ofServer)
  return (now) => {
    setProcess(now)
    setServer(now)
  }
}
