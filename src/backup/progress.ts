/** Shows the progress of a command: a bar on a terminal, otherwise plain lines. */
import { SingleBar } from 'cli-progress'

export type Progress = {
  /** Begins a stage with this number of objects. */
  stage(name: string, total: number): void
  done(objects?: number): void
  bytes(count: number): void
  /** A line that is not overwritten. */
  say(text: string): void
  stop(): void
}

const LINE_MS = 5_000
export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`

export function createProgress(output: NodeJS.WriteStream = process.stdout): Progress {
  const isTerminal = output.isTTY === true
  const bar = new SingleBar({
    format: '{stage} [{bar}] {value}/{total}, {size}',
    stream: output,
    hideCursor: true,
    clearOnComplete: true,
    emptyOnZero: true,
  })
  let stage = ''
  let total = 0
  let finished = 0
  let size = 0
  let lastMs = 0
  const endStage = (): void => {
    if (stage === '') return
    if (isTerminal) bar.stop()
    output.write(`${stage}: ${finished} of ${total}, ${megabytes(size)}\n`)
    stage = ''
  }
  function show(): void {
    if (isTerminal) bar.update(finished, { stage, size: megabytes(size) })
    else if (performance.now() - lastMs > LINE_MS) {
      lastMs = performance.now()
      output.write(`${stage}: ${finished} of ${total}, ${megabytes(size)} …\n`)
    }
  }
  return {
    stage(name, count) {
      endStage()
      ;[stage, total, finished, size, lastMs] = [name, count, 0, 0, performance.now()]
      if (isTerminal) bar.start(total, 0, { stage, size: megabytes(0) })
    },
    done(objects = 1) {
      finished += objects
      show()
    },
    bytes(count) {
      size += count
      show()
    },
    say(text) {
      endStage()
      output.write(`${text}\n`)
    },
    stop: endStage,
  }
}
