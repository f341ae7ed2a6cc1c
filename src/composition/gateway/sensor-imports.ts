/** Long imports of sensors, in the background. */
import { startSensorImports } from '../../provisioning/sensor-imports.ts'
import type { ServerHost } from '../host.ts'
import type { Stores } from '../stores/stores.ts'

export function startImports({ shutdown, warn }: ServerHost, { db, changes }: Stores): void {
  const imports = startSensorImports(db, changes, warn('sensors could not be imported; this will be retried'))
  shutdown.onStop('imports of sensors', imports.stop)
}
