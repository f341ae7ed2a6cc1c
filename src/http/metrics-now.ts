/** Metrics of the moment: what waits, what is in use, and how much room is left. They are read at each scrape. */
import { Counter, Gauge, type Registry } from 'prom-client'

export type IngestNow = {
  bytesWaiting: number
  segmentsWaiting: number
  segmentsChecked: number
  sensorsInMemory: number
  takesMore: boolean
  /** Age of the oldest rows not yet stored in ClickHouse. */
  lagSeconds: number
}

export type LaneNow = {
  lane: string
  isAvailable: boolean
  workers: number
  waiting: number
  background: number
  processes: { state: string; bytes: number }[]
}

/** Of every process that runs tools. */
export type ProcessNow = {
  version: string
  lanes: readonly LaneNow[]
  /** Undefined when PostgreSQL cannot be asked. */
  jobs: { waiting: number; running: number; oldestSeconds: number } | undefined
  jobSlots: { limit: number; busy: number }
  disk: { freeBytes: number; totalBytes: number; reserveBytes: number }
  storesUp: Record<string, boolean>
}

/** Of a server. */
export type Now = ProcessNow & {
  ingest: IngestNow
  logCeilingBytes: number
  uploads: number
}

/** @returns sets all of them */
export function createProcessGauges(registry: Registry): (now: ProcessNow) => void {
  const registers = [registry]
  const gauge = (name: string, help: string): Gauge => new Gauge({ name, help, registers })
  const laneGauge = (name: string, help: string): Gauge<'lane'> =>
    new Gauge({ name, help, labelNames: ['lane'] as const, registers })
  const build = new Gauge({
    name: 'groundwave_build_info',
    help: 'Always 1, with the version of the process',
    labelNames: ['version'] as const,
    registers,
  })
  const started = gauge('process_start_time_seconds', 'Start of the process, in seconds since 1970')
  const resident = gauge(
    'process_resident_memory_bytes',
    'Resident memory of the process, without its worker processes',
  )
  const cpu = new Counter({
    name: 'process_cpu_seconds_total',
    help: 'User and system CPU time of the process, without its worker processes',
    registers,
  })
  const available = laneGauge('tool_lane_available', '1 while the lane can run tools, otherwise 0')
  const limit = laneGauge('tool_workers_limit', 'Most worker processes of the lane')
  const busy = laneGauge('tool_workers_busy', 'Worker processes of the lane that work on a run')
  const workerBytes = laneGauge('tool_workers_resident_memory_bytes', 'Resident memory of the lane’s worker processes')
  const waiting = laneGauge('tool_queue_length', 'Calls that wait for a worker process of the lane')
  const background = laneGauge('tool_background_queue_length', 'Jobs that wait for a worker process of the lane')
  const jobsWaiting = gauge('jobs_waiting', 'Jobs of all instances that no process works on')
  const jobsRunning = gauge('jobs_running', 'Jobs of all instances that a process works on')
  const jobsOldest = gauge('jobs_oldest_wait_seconds', 'Age of the oldest job that no process works on')
  const slots = gauge('job_slots', 'Jobs that this process runs at a time')
  const slotsBusy = gauge('job_slots_busy', 'Jobs that this process works on')
  const diskFree = gauge('disk_free_bytes', 'Free space of the disk of DATA_DIR')
  const diskSize = gauge('disk_size_bytes', 'Size of the disk of DATA_DIR')
  const diskReserve = gauge('disk_reserve_bytes', 'Free space below which files are refused')
  const stores = new Gauge({
    name: 'store_up',
    help: '1 while the part answers its health check, otherwise 0',
    labelNames: ['store'] as const,
    registers,
  })
  started.set(performance.timeOrigin / 1000)

  return (now) => {
    const { disk, jobs, jobSlots } = now
    build.set({ version: now.version }, 1)
    resident.set(process.memoryUsage.rss())
    const { user, system } = process.cpuUsage()
    cpu.reset()
    cpu.inc((user + system) / 1e6)
    for (const { lane, isAvailable, workers, processes, ...queues } of now.lanes) {
      available.set({ lane }, isAvailable ? 1 : 0)
      limit.set({ lane }, workers)
      busy.set({ lane }, processes.filter(({ state }) => state === 'running').length)
      workerBytes.set(
        { lane },
        processes.reduce((sum, { bytes }) => sum + bytes, 0),
      )
      waiting.set({ lane }, queues.waiting)
      background.set({ lane }, queues.background)
    }
    // unknown is not the same as none
    for (const [of, value] of [
      [jobsWaiting, jobs?.waiting],
      [jobsRunning, jobs?.running],
      [jobsOldest, jobs?.oldestSeconds],
    ] as const)
      if (value === undefined) of.remove()
      else of.set(value)
    slots.set(jobSlots.limit)
    slotsBusy.set(jobSlots.busy)
    diskFree.set(disk.freeBytes)
    diskSize.set(disk.totalBytes)
    diskReserve.set(disk.reserveBytes)
    for (const [store, up] of Object.entries(now.storesUp)) stores.set({ store }, up ? 1 : 0)
  }
}

/** With those of readings and requests. @returns sets all of them */
export function createGauges(registry: Registry): (now: Now) => void {
  const registers = [registry]
  const gauge = (name: string, help: string): Gauge => new Gauge({ name, help, registers })
  const ofProcess = createProcessGauges(registry)
  const logBytes = gauge('log_bytes', 'Bytes in segments not yet stored in ClickHouse')
  const logCeiling = gauge('log_ceiling_bytes', 'Bytes in segments at which readings are refused')
  const logSegments = gauge('log_segments', 'Segments not yet stored in ClickHouse')
  const zoneSegments = gauge(
    'zone_check_segments',
    'Segments in ClickHouse whose readings are still to be checked against zone rules',
  )
  const sensors = gauge('claims_sensors', 'Sensors whose latest timestamps are held in memory')
  const open = gauge('ingest_open', '1 while the server accepts readings, otherwise 0')
  const lag = gauge('log_lag_seconds', 'Age of the oldest rows not yet stored in ClickHouse')
  const uploads = gauge('uploads_under_way', 'Forms with files that are being received')

  return (now) => {
    const { ingest } = now
    ofProcess(now)
    logBytes.set(ingest.bytesWaiting)
    logCeiling.set(now.logCeilingBytes)
    logSegments.set(ingest.segmentsWaiting)
    zoneSegments.set(ingest.segmentsChecked)
    sensors.set(ingest.sensorsInMemory)
    open.set(ingest.takesMore ? 1 : 0)
    lag.set(ingest.lagSeconds)
    uploads.set(now.uploads)
  }
}
