/** Colours of the features of a result by a column, with the legend, and a picture of the map. */
import { setQuery } from '../../../shell/router.ts'
import { formatFigure } from '../../../text/format.ts'
import { t } from '../../../text/text.ts'
import { Button } from '../../../ui/button.tsx'
import { SelectField } from '../../../ui/field.tsx'
import { saveFile } from '../../../ui/save-file.ts'
import type { MapEngine } from '../../map/engine/engine.ts'
import type { ValueClass } from '../result/classes.ts'
import type { FeatureSummary } from '../result/features-protocol.ts'

/** Cividis: its lightness grows evenly, also for colour-blind people. */
export const CLASS_COLOURS = ['#00336f', '#4e576c', '#7d7c78', '#b3a772', '#f0d93f'] as const

/** The darkest to the lightest colour, whatever the number of classes. */
export const coloursFor = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => {
    const place = count === 1 ? 0 : Math.round((i * (CLASS_COLOURS.length - 1)) / (count - 1))
    return CLASS_COLOURS[place] as string
  })

type Props = {
  name: string
  summary: FeatureSummary
  /** The column of the colours; -1 for one colour. */
  field: number
  classes: readonly ValueClass[]
  map: () => MapEngine | undefined
}

export function MapOptions({ name, summary, field, classes, map }: Props) {
  const columns = summary.fields.filter(({ isNumber }) => isNumber)
  const column = summary.fields[field]?.name
  async function save(): Promise<void> {
    const engine = map()
    if (engine === undefined) return
    saveFile(`${name.replace(/\.\w+$/, '')}.png`, await pictureOf(engine, column, classes))
  }
  return (
    <div class="result-colours">
      {columns.length > 0 && (
        <SelectField
          label={t('results.colourBy')}
          value={column ?? ''}
          options={[
            { value: '', label: t('results.oneColour') },
            ...columns.map((one) => ({ value: one.name, label: one.name })),
          ]}
          onChange={(chosen) => setQuery({ colour: chosen === '' ? undefined : chosen })}
        />
      )}
      {column !== undefined && classes.length > 0 && (
        <ul class="result-legend" aria-label={t('results.legendOf', { name: column })}>
          {linesOf(classes).map(({ colour, text }) => (
            <li key={colour}>
              <span class="result-swatch" style={{ background: colour }} />
              <span class="number">{text}</span>
            </li>
          ))}
          {classes.reduce((sum, { count }) => sum + count, 0) < summary.count && (
            <li>
              <span class="result-swatch result-swatch-none" />
              <span>{t('results.noValue')}</span>
            </li>
          )}
        </ul>
      )}
      <Button icon="picture" onClick={save}>
        {t('results.savePicture')}
      </Button>
    </div>
  )
}

function linesOf(classes: readonly ValueClass[]): { colour: string; text: string }[] {
  const colours = coloursFor(classes.length)
  return classes.map(({ from, to }, i) => ({
    colour: colours[i] as string,
    text:
      from === to ? formatFigure(from) : t('results.classRange', { from: formatFigure(from), to: formatFigure(to) }),
  }))
}

const LINE_PX = 20

/** The map as it is shown, with the legend and the sources of its data below. */
function pictureOf({ map }: MapEngine, column: string | undefined, classes: readonly ValueClass[]): Promise<Blob> {
  return new Promise((resolve, reject) => {
    // the content of the canvas is there during its frame only
    map.once('render', () => {
      const source = map.getCanvas()
      const ratio = map.getPixelRatio()
      const lines = column === undefined ? [] : linesOf(classes)
      const credit = map.getContainer().querySelector('.maplibregl-ctrl-attrib-inner')?.textContent?.trim() ?? ''
      const height = (lines.length + (column === undefined ? 0 : 1) + (credit === '' ? 0 : 1)) * LINE_PX * ratio
      const canvas = document.createElement('canvas')
      canvas.width = source.width
      canvas.height = source.height + height
      const context = canvas.getContext('2d') as CanvasRenderingContext2D
      context.fillStyle = '#fff'
      context.fillRect(0, 0, canvas.width, canvas.height)
      context.drawImage(source, 0, 0)
      context.scale(ratio, ratio)
      const { direction } = getComputedStyle(document.documentElement)
      const isRightToLeft = direction === 'rtl'
      const width = source.width / ratio
      context.direction = isRightToLeft ? 'rtl' : 'ltr'
      context.font = `13px ${getComputedStyle(document.body).fontFamily}`
      context.textBaseline = 'middle'
      let y = source.height / ratio + LINE_PX / 2
      const write = (text: string, indent: number): void => {
        context.fillStyle = '#222'
        context.fillText(text, isRightToLeft ? width - indent : indent, y)
        y += LINE_PX
      }
      if (column !== undefined) write(column, 8)
      for (const { colour, text } of lines) {
        context.fillStyle = colour
        context.fillRect(isRightToLeft ? width - 22 : 8, y - 7, 14, 14)
        write(text, 30)
      }
      if (credit !== '') write(credit, 8)
      canvas.toBlob((blob) => {
        if (blob === null) reject(new Error('the browser could not write the picture'))
        else resolve(blob)
      }, 'image/png')
    })
    map.triggerRepaint()
  })
}
