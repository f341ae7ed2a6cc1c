import { cleanUpAtRunEnd } from './run-end.ts'

cleanUpAtRunEnd()
