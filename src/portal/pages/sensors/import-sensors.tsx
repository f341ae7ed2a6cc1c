/** Many sensors from a CSV. */
export function ImportSensors() {
  return null
}
