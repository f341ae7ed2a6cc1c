/** What every test file begins with. */
import { setDefaultTimeout } from 'bun:test'

// some wait for servers, or for other programs on a busy machine
setDefaultTimeout(120_000)
