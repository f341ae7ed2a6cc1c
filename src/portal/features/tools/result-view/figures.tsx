/** Figures of a result as a table with units, labelled by the description of the tool. */
import type { ComponentChildren } from 'preact'
import type { TextKey } from '../../../text/catalogue.ts'
import { formatFigure, formatListed } from '../../../text/format.ts'
import { t } from '../../../text/text.ts'
import { CopyButton } from '../../../ui/button.tsx'
import { Figure } from '../../../ui/table/figure.tsx'

export type ResultData = Record<string, unknown>
/** Descriptions of a process's outputs by name. */
export type Labels = Record<string, string>

/** Fields that the page shows elsewhere. */
const ELSEWHERE = new Set([
  'key',
  'outputFilename',
  'artifactId',
  'inputKey',
  'inputKeys',
  'previewKey',
  'previewPngB64',
  'warnings',
  'warningsAr',
  'usage',
])
/** Units by the end of a name, as the tools name their figures. */
const UNITS: [end: RegExp, unit: () => string][] = [
  [/M2$/, () => t('zones.units.m2')],
  [/Km$/, () => t('zones.units.km')],
  [/(Percent|Pct)$/, () => '%'],
  [/Ms$/, () => t('operations.health.units.milliseconds')],
  [/Deg$/, () => '°'],
  [/(length|perimeter|distance|radius|cellSize|Distance|Length|Perimeter)M$/, () => t('zones.units.m')],
]
/** A longer text, such as that of a scanned page, is copied by a button. */
const COPIED_LETTERS = 80
const MAX_ROWS = 200
const FEW_ROWS = 4
const FEW_COLUMNS = 6
const MAX_DEPTH = 3

export const hasFigures = (data: ResultData): boolean => Object.keys(data).some((name) => !ELSEWHERE.has(name))

const isObject = (value: unknown): value is ResultData =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isPlain = (value: unknown): boolean => typeof value !== 'object' || value === null

/** For a figure without a text: `repairedCount` becomes "Repaired count". */
function wordsOf(name: string): string {
  const text = t(`figures.${name}` as TextKey)
  if (text !== '') return text
  const words = name
    .replace(/(M2|Km|Pct|Percent|Ms|Deg)$/, '')
    .replace(/[_-]+/g, ' ')
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

export function Figures({ data, labels }: { data: ResultData; labels: Labels }) {
  // in the order of the tool's description
  const order = Object.keys(labels)
  const placeOf = (name: string): number => (order.includes(name) ? order.indexOf(name) : order.length)
  const shown = Object.fromEntries(
    Object.entries(data)
      .filter(([name]) => !ELSEWHERE.has(name))
      .sort(([a], [b]) => placeOf(a) - placeOf(b)),
  )
  return (
    <section class="result-figures" aria-label={t('results.figures')}>
      <Members data={shown} labels={labels} depth={0} />
      <CopyButton text={JSON.stringify(shown, undefined, 2)}>{t('results.copyJson')}</CopyButton>
    </section>
  )
}

function Members({ data, labels, depth }: { data: ResultData; labels: Labels; depth: number }) {
  const entries = Object.entries(data)
  const plain = entries.filter(([, value]) => isShort(value))
  const long = entries.filter(([, value]) => !isShort(value))
  return (
    <>
      {plain.length > 0 && (
        <dl class="result-list">
          {plain.map(([name, value]) => (
            <div key={name}>
              <dt>{labels[name] ?? <bdi>{wordsOf(name)}</bdi>}</dt>
              <dd>
                <Value name={name} value={value} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {long.map(([name, value]) => (
        <section key={name} class="result-part">
          <h3>{labels[name] ?? <bdi>{wordsOf(name)}</bdi>}</h3>
          <Long value={value} depth={depth + 1} />
        </section>
      ))}
    </>
  )
}

/** One line: a value, or a few numbers such as a position or a box. */
const isShort = (value: unknown): boolean =>
  isPlain(value) || (Array.isArray(value) && value.length <= 6 && value.every(isPlain))

function Value({ name, value }: { name: string; value: unknown }): ComponentChildren {
  if (value === null || value === undefined) return '–'
  if (typeof value === 'boolean') return value ? t('results.yes') : t('results.no')
  if (Array.isArray(value))
    return value.length === 0 ? '–' : <bdi class="number">{value.map(plainText).join(', ')}</bdi>
  if (typeof value === 'string' && value.length > COPIED_LETTERS)
    return (
      <>
        <bdi class="result-long-text">{value}</bdi>
        <CopyButton text={value}>{t('results.copyText')}</CopyButton>
      </>
    )
  if (typeof value !== 'number') return <bdi>{String(value)}</bdi>
  const unit = UNITS.find(([end]) => end.test(name))?.[1]()
  return (
    <span class="number" dir="ltr">
      {formatFigure(value)}
      {unit && ` ${unit}`}
    </span>
  )
}

const plainText = (value: unknown): string => (typeof value === 'number' ? formatListed(value) : String(value ?? '–'))

function Long({ value, depth }: { value: unknown; depth: number }) {
  if (isObject(value) && depth < MAX_DEPTH) return <Members data={value} labels={{}} depth={depth} />
  if (Array.isArray(value) && value.length > 0 && value.every(isObject)) return <Rows rows={value as ResultData[]} />
  const text = JSON.stringify(value, undefined, 2)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it
    <pre dir="ltr" tabIndex={0}>
      {text.length > 20_000 ? `${text.slice(0, 20_000)}…` : text}
    </pre>
  )
}

function Cell({ name, value }: { name: string; value: unknown }) {
  if (typeof value === 'number' && !UNITS.some(([end]) => end.test(name))) return <Figure value={value} />
  return isShort(value) ? <Value name={name} value={value} /> : '…'
}

/** `{dd: {lon, lat}}` as `dd.lon` and `dd.lat`. */
function flattened(row: ResultData, prefix = '', depth = 0): ResultData {
  return Object.assign(
    {},
    ...Object.entries(row).map(([name, value]) =>
      isObject(value) && depth < MAX_DEPTH
        ? flattened(value, `${prefix}${name}.`, depth + 1)
        : { [prefix + name]: value },
    ),
  ) as ResultData
}

/** A column of the tool in words; a column of the person's data under its own name. */
const columnTitle = (name: string): string =>
  name
    .split('.')
    .map((part) => t(`figures.${part}` as TextKey) || part)
    .join(' · ')

function Rows({ rows }: { rows: ResultData[] }) {
  const flat = rows.slice(0, MAX_ROWS).map((row) => flattened(row))
  const names = [...new Set(flat.flatMap((row) => Object.keys(row)))].slice(0, 40)
  // a row for each figure: beside each other, the last ones would be cut by the edge
  if (rows.length <= FEW_ROWS && names.length > FEW_COLUMNS)
    return flat.map((row, i) => (
      <Members
        key={i}
        data={Object.fromEntries(Object.entries(row).filter(([, value]) => isShort(value)))}
        labels={Object.fromEntries(names.map((name) => [name, columnTitle(name)]))}
        depth={MAX_DEPTH}
      />
    ))
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it */}
      <section class="result-cells" tabIndex={0} aria-label={t('results.rows')}>
        <table>
          <thead>
            <tr>
              {names.map((name) => (
                <th
                  key={name}
                  scope="col"
                  class={flat.some((row) => typeof row[name] === 'number') ? 'table-number' : undefined}
                >
                  <bdi title={name}>{columnTitle(name)}</bdi>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {flat.map((row, i) => (
              <tr key={i}>
                {names.map((name) => (
                  <td key={name} class={typeof row[name] === 'number' ? 'table-number' : undefined}>
                    <Cell name={name} value={row[name]} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {rows.length > MAX_ROWS && <p class="weak">{t('results.firstOf', { shown: MAX_ROWS, count: rows.length })}</p>}
    </>
  )
}
