/** The columns of the chosen files, for the fields that name one of them. */
import type { Signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { readColumns, readStoredColumns } from './columns.ts'
import type { ProcessDescription } from './process.ts'
import type { FormFiles } from './values.ts'

type Columns = Record<string, string[] | undefined>

export function useColumns(process: Pick<ProcessDescription, 'inputs'>, files: Signal<FormFiles> | undefined): Columns {
  const [columns, setColumns] = useState<Columns>({})
  const fields = new Set(Object.values(process.inputs).flatMap((input) => input['x-svc-columnOf'] ?? []))
  const chosen = [...fields].map((field) => [field, files?.value[field]?.[0]] as const)
  useEffect(() => {
    let isCurrent = true
    for (const [field, one] of chosen) {
      setColumns((before) => ({ ...before, [field]: undefined }))
      if (one === undefined) continue
      const reading = one.kind === 'local' ? readColumns(one.file) : readStoredColumns(one.key, one.name)
      void reading.then((names) => {
        if (isCurrent) setColumns((before) => ({ ...before, [field]: names }))
      })
    }
    return () => {
      isCurrent = false
    }
  }, [chosen.map(([, one]) => one?.id).join()])
  return columns
}
