/** A Node for worker processes in which GDAL's binding does not load. */
import { NODE } from './engine.ts'

/** Runs before the program; a file beside the tests would not be visible in the sandbox. */
const HIDE = `--import=data:text/javascript;base64,${btoa(`
  const { dlopen } = process
  process.dlopen = (module, filename, ...more) => {
    if (filename.endsWith('gdal.node')) throw new Error('it is hidden')
    return dlopen(module, filename, ...more)
  }`)}`

/** A shell script that is such a Node while the file `hidden` exists. */
export const scriptOf = (hidden: string): string =>
  `#!/bin/sh\n[ -e ${hidden} ] && set -- '${HIDE}' "$@"\nexec ${NODE} "$@"\n`

/** The command, with this script in place of Node. */
export const withoutGdal = (command: readonly string[]): string[] =>
  command.flatMap((part) => (part === NODE ? [NODE, HIDE] : [part]))
