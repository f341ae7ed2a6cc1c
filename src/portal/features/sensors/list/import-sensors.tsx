/** Many sensors from a CSV: choose, look at the first rows, check every row, create, save the keys. */
import { useEffect, useState } from 'preact/hooks'
import { t } from '../../../text/text.ts'
import { Button } from '../../../ui/button.tsx'
import { DropZone } from '../../../ui/drop-zone.tsx'
import { saveFile } from '../../../ui/save-file.ts'
import { csvFile, csvLine } from '../../../ui/table/csv.ts'
import { type CsvHead, readHead } from '../../../ui/table/csv-reader.ts'
import { ImportMapping } from './import-mapping.tsx'
import { ImportProgress } from './import-progress.tsx'
import { createImport, type ImportRun } from './import-run.ts'

const MAX_BYTES = 500 * 2 ** 20

type Chosen = { file: File; head: CsvHead }

export function ImportSensors() {
  const [chosen, setChosen] = useState<Chosen | undefined>(undefined)
  const [run, setRun] = useState<ImportRun | undefined>(undefined)
  const [error, setError] = useState<string | undefined>(undefined)
  useEffect(() => () => run?.stop(), [run])

  async function choose(file: File): Promise<void> {
    setError(undefined)
    try {
      const head = await readHead(file)
      if (head.rows.length === 0) setError(t('importSensors.emptyFile', { name: file.name }))
      else setChosen({ file, head })
    } catch (failure) {
      setError(t('importSensors.unreadable', { reason: String(failure) }))
    }
  }

  function again(): void {
    setRun(undefined)
    setChosen(undefined)
  }

  if (run !== undefined && chosen !== undefined)
    return <ImportProgress run={run} file={chosen.file} onBack={() => setRun(undefined)} onAgain={again} />
  if (chosen !== undefined)
    return (
      <ImportMapping
        file={chosen.file}
        head={chosen.head}
        onCheck={(source) => setRun(createImport({ ...chosen, ...source }))}
        onBack={again}
      />
    )
  return (
    <div class="import">
      <p>{t('importSensors.intro')}</p>
      <DropZone
        label={t('importSensors.choose')}
        help={t('importSensors.help')}
        accept=".csv,.tsv,.txt,text/csv,text/tab-separated-values,text/plain"
        maxBytes={MAX_BYTES}
        pasteName="pasted.csv"
        onFile={(file) => void choose(file)}
      />
      {error !== undefined && (
        <p class="form-error" role="alert">
          {error}
        </p>
      )}
      <div>
        <Button kind="quiet" icon="download" onClick={saveExample}>
          {t('importSensors.example')}
        </Button>
      </div>
    </div>
  )
}

function saveExample(): void {
  const lines = [
    ['name', 'asset', 'tags', 'channels'],
    ['Pump 1', 'North pier', 'pumps, north', 'temperature:number:°C; running:boolean'],
    ['Pump 2', 'North pier', 'pumps, north', 'temperature:number:°C; running:boolean'],
  ]
  saveFile('sensors-example.csv', csvFile(lines.map(csvLine)))
}
