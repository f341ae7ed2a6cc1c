/** Log lines wait to be written together; none is lost, however a process ends by itself. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { ROOT } from '../../support/processes.ts'

const LINES = 3_000
const ENDS = {
  'a fatal line, and SIGKILL after it': "logger.fatal('last'); process.kill(process.pid, 'SIGKILL')",
  'process.exit': "logger.info('last'); process.exit(3)",
  'process.exit after a flush': "logger.info('last'); logger.flush(() => process.exit(0))",
  'nothing left to do': "logger.info('last')",
}

test.each(Object.entries(ENDS))('all lines are written before the end of a process by %s', async (_, end) => {
  const program = `
    import { createLogger } from ${JSON.stringify(join(ROOT, 'src/composition/logger.ts'))}
    const logger = createLogger('info')
    for (let i = 0; i < ${LINES}; i++) logger.info({ i }, 'a line of the log')
    ${end}`
  const child = Bun.spawn([process.execPath, '-e', program], { stdout: 'pipe', stderr: 'inherit' })
  const lines = (await new Response(child.stdout).text()).trimEnd().split('\n')
  await child.exited
  const found = lines.map((line) => JSON.parse(line) as { i?: number; msg: string })
  expect(found.slice(0, -1).map(({ i }) => i)).toEqual(Array.from({ length: LINES }, (_, i) => i))
  expect(found.at(-1)?.msg).toBe('last')
})
