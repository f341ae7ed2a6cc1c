/** The beginning of a text or a table. */
import { send } from '../../../api/client.ts'
import { useResource } from '../../../api/resource.ts'
import { formatBytes } from '../../../text/format.ts'
import { t } from '../../../text/text.ts'
import { CopyButton } from '../../../ui/button.tsx'
import { storedFileAddress } from '../../../ui/download.tsx'
import { Failure, Skeleton } from '../../../ui/states.tsx'
import type { StoredFile } from './file-kind.ts'

const SHOWN_BYTES = 64 * 1024
const SHOWN_ROWS = 100
const SHOWN_COLUMNS = 50

export function TextView({ file, isTable }: { file: StoredFile; isTable: boolean }) {
  const { data, error, reload } = useResource(
    async (signal) => {
      const range = `bytes=0-${SHOWN_BYTES - 1}`
      const headers: Record<string, string> = file.bytes > SHOWN_BYTES ? { range } : {}
      const response = await send(storedFileAddress(file.key), { headers, signal })
      return new TextDecoder().decode(await response.arrayBuffer(), { stream: true })
    },
    [file.key],
  )
  if (error.value !== undefined) return <Failure error={error.value} onRetry={reload} />
  if (data.value === undefined) return <Skeleton lines={8} />
  const isCut = file.bytes > SHOWN_BYTES
  return (
    <div class="result-text">
      {isTable ? (
        <Cells rows={rowsOf(data.value.replace(/^\ufeff/, ''), file.filename.endsWith('.tsv') ? '\t' : ',', isCut)} />
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it
        <pre dir="auto" tabIndex={0}>
          {data.value}
        </pre>
      )}
      {!isTable && (
        <div>
          <CopyButton text={data.value}>{t(isCut ? 'results.copyBeginning' : 'results.copyText')}</CopyButton>
        </div>
      )}
      {isCut && (
        <p class="weak">{t('results.beginning', { shown: formatBytes(SHOWN_BYTES), all: formatBytes(file.bytes) })}</p>
      )}
    </div>
  )
}

/** Rows of RFC 4180. A last row that is cut is left out. */
function rowsOf(text: string, separator: string, isCut: boolean): string[][] {
  const rows: string[][] = [[]]
  let cell = ''
  let isQuoted = false
  for (let i = 0; i < text.length && rows.length <= SHOWN_ROWS + 1; i++) {
    const letter = text[i] as string
    if (isQuoted && letter === '"' && text[i + 1] === '"') {
      cell += '"'
      i++
    } else if (letter === '"') isQuoted = !isQuoted
    else if (!isQuoted && (letter === separator || letter === '\n')) {
      rows.at(-1)?.push(cell.replace(/\r$/, ''))
      cell = ''
      if (letter === '\n') rows.push([])
    } else cell += letter
  }
  if (cell !== '' && !isCut) rows.at(-1)?.push(cell)
  return rows.filter((row) => row.length > 0).slice(0, SHOWN_ROWS + 1)
}

function Cells({ rows: [head = [], ...rows] }: { rows: string[][] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it
    <section class="result-cells" tabIndex={0} aria-label={t('results.firstRows')}>
      <table>
        <thead>
          <tr>
            {head.slice(0, SHOWN_COLUMNS).map((name, i) => (
              <th key={i} scope="col">
                <bdi>{name}</bdi>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, i) => (
            <tr key={i}>
              {row.slice(0, SHOWN_COLUMNS).map((text, j) => (
                <td key={j}>
                  <bdi>{text}</bdi>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
