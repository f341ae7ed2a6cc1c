/**
 * An input for a Tool API, drawn on the map or pasted, and the answer of a call: which features pass and why, or the
 * resulting layer. The bound layer is shown behind it.
 */
import type { Feature } from 'geojson'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { ApiError } from '../../../api/client.ts'
import { useResource } from '../../../api/resource.ts'
import { t } from '../../../text/text.ts'
import { Button } from '../../../ui/button.tsx'
import { Field } from '../../../ui/field.tsx'
import { failureText } from '../../../ui/form.ts'
import { Tabs } from '../../../ui/tabs.tsx'
import type { MapEngine } from '../../map/engine/engine.ts'
import { MapView } from '../../map/map.tsx'
import { SketchTools } from '../../map/sketch-tools.tsx'
import { AnswerView } from './answer.tsx'
import { boxOf, collectionOf, exampleFor, featuresIn } from './geojson.ts'
import { isKnownCode, whatToDo, whyOf } from './state.tsx'
import { type Answer, loadBound, type Rule, type Verdict } from './tool-api-data.ts'

type Outcome = { input: Feature[]; answer: Answer } | { failure: ApiError }

export type PlaygroundProps = {
  /** Keeps the typed text in this tab. */
  name: string
  ownerId: string
  /** The bound layer, which the map shows. */
  layerId: string | undefined
  /** Settings of an inside check. */
  rule: Rule | undefined
  action: string
  /** Why nothing can be sent yet. */
  missing?: string | undefined
  /** Changes with the settings under test: after an answer, the input is sent again. */
  version?: string
  run: (input: unknown, signal: AbortSignal) => Promise<Answer>
}

export function Playground(props: PlaygroundProps) {
  const { ownerId, layerId } = props
  const [engine, setEngine] = useState<MapEngine | undefined>(undefined)
  const [mode, setMode] = useState<'draw' | 'paste'>('draw')
  const [drawn, setDrawn] = useState<Feature[]>([])
  const [text, setText] = useKept(`groundwave.input.${props.name}`)
  const [outcome, setOutcome] = useState<Outcome | undefined>(undefined)
  const [isSending, setSending] = useState(false)
  const abort = useRef<AbortController | undefined>(undefined)
  const bound = useResource(
    (signal) => (layerId === undefined ? Promise.resolve([]) : loadBound(ownerId, layerId, signal)),
    [ownerId, layerId],
  )
  const shown = bound.data.value ?? []
  const pasted = useMemo(() => parsed(text), [text])
  const features = mode === 'draw' ? drawn : (featuresIn(pasted) ?? [])
  const answer = outcome !== undefined && 'answer' in outcome ? outcome : undefined

  useEffect(() => {
    if (engine === undefined) return
    engine.setData(
      'zones',
      collectionOf(shown.map((one) => ({ ...one, properties: { enabled: true, selected: false } }))),
    )
    const box = boxOf(shown)
    if (box !== undefined) engine.fitFirst(box)
  }, [engine, shown])
  useEffect(() => {
    engine?.setData('shapes', collectionOf(shapesOf(mode === 'draw' ? [] : features, answer)))
    engine?.setLabels(answer === undefined ? [] : labelsOf(answer))
    const box = answer && boxOf([...shown, ...answer.input])
    if (box !== undefined) engine?.fit(box)
  }, [engine, mode, text, answer])
  useEffect(() => () => abort.current?.abort(), [])

  async function submit(): Promise<void> {
    const input = mode === 'draw' ? collectionOf(drawn) : pasted
    abort.current?.abort()
    const own = new AbortController()
    abort.current = own
    setSending(true)
    try {
      const result = await props.run(input, own.signal)
      if (!own.signal.aborted) setOutcome({ input: featuresIn(input) ?? [], answer: result })
    } catch (failure) {
      if (own.signal.aborted) return
      setOutcome({ failure: failure instanceof ApiError ? failure : new ApiError(0, 'UNEXPECTED', String(failure)) })
    } finally {
      if (!own.signal.aborted) setSending(false)
    }
  }
  // the same input is checked by another rule or binding
  useEffect(() => {
    if (outcome === undefined || props.missing !== undefined) return
    const timer = setTimeout(() => void submit(), 400)
    return () => clearTimeout(timer)
  }, [props.version])

  function change(next: () => void): void {
    setOutcome(undefined)
    next()
  }
  const isUnreadable = mode === 'paste' && text.trim() !== '' && pasted === undefined
  const hasInput = mode === 'draw' ? drawn.length > 0 : pasted !== undefined
  return (
    <div class="playground">
      <div class="playground-input">
        <Tabs
          label={t('toolApis.input')}
          tabs={[
            { id: 'draw', label: t('toolApis.draw') },
            { id: 'paste', label: t('toolApis.paste') },
          ]}
          selected={mode}
          onSelect={(id) => change(() => setMode(id as 'draw' | 'paste'))}
        />
        {mode === 'paste' ? (
          <Field
            label={t('toolApis.geojson')}
            help={t('toolApis.geojsonHelp')}
            error={isUnreadable ? t('toolApis.notJson') : undefined}
          >
            {(attributes) => (
              <textarea
                {...attributes}
                class="playground-text"
                dir="ltr"
                rows={8}
                spellcheck={false}
                value={text}
                onInput={(event) => change(() => setText(event.currentTarget.value))}
              />
            )}
          </Field>
        ) : (
          <p class="weak">
            {drawn.length === 0 ? t('toolApis.drawHelp') : t('toolApis.drawn', { count: drawn.length })}
          </p>
        )}
        <div class="row">
          <Button
            kind="main"
            icon="play"
            disabled={!hasInput || props.missing !== undefined}
            isBusy={isSending}
            onClick={submit}
          >
            {props.action}
          </Button>
          <Button
            onClick={() =>
              change(() => {
                setMode('paste')
                setText(JSON.stringify(exampleFor(boxOf(shown)), undefined, 1))
              })
            }
          >
            {t('toolApis.example')}
          </Button>
        </div>
        {props.missing !== undefined && <p class="weak">{props.missing}</p>}
        {outcome !== undefined && 'failure' in outcome && <Failed error={outcome.failure} />}
        {answer !== undefined && <AnswerView {...answer.answer} rule={props.rule} />}
      </div>
      <div class="playground-map">
        <MapView
          label={t('toolApis.mapLabel')}
          onReady={(made) => {
            setEngine(made)
            return () => setEngine(undefined)
          }}
        >
          {mode === 'draw' && <SketchTools engine={engine} onChange={(next) => change(() => setDrawn(next))} />}
        </MapView>
      </div>
    </div>
  )
}

function Failed({ error }: { error: ApiError }) {
  return (
    <div class="form-error" role="alert">
      {isKnownCode(error.code) ? (
        <>
          <p>
            <strong>{whyOf(error.code)}</strong>
          </p>
          <p>
            <bdi>{error.message}</bdi>
          </p>
          <p>{whatToDo(error.code)}</p>
        </>
      ) : (
        <p>{failureText(error)}</p>
      )}
      {error.requestId !== undefined && (
        <p class="weak">
          {t('toolApis.requestId')} <code dir="ltr">{error.requestId}</code>
        </p>
      )}
    </div>
  )
}

function parsed(text: string): unknown {
  try {
    return text.trim() === '' ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A text that survives a reload. */
function useKept(place: string): [string, (text: string) => void] {
  const [text, setText] = useState(() => {
    try {
      return sessionStorage.getItem(place) ?? ''
    } catch {
      return ''
    }
  })
  return [
    text,
    (next) => {
      setText(next)
      try {
        sessionStorage.setItem(place, next)
      } catch {
        // storage is full or disabled: the text lasts as long as the page
      }
    },
  ]
}

type Answered = { input: Feature[]; answer: Answer }
const verdictOf = ({ answer: { data } }: Answered): Verdict | undefined => ('results' in data ? data : undefined)

/** The input before an answer; afterwards the input coloured by its verdict, or the result. */
function shapesOf(input: readonly Feature[], answered: Answered | undefined): Feature[] {
  const look = (feature: Feature, as: string): Feature => ({ ...feature, properties: { look: as } })
  if (answered === undefined) return input.map((feature) => look(feature, 'input'))
  const { data } = answered.answer
  if ('results' in data)
    return answered.input.map((feature, i) => look(feature, data.results[i]?.pass ? 'pass' : 'fail'))
  return (data.result.features as Feature[])
    .filter(({ geometry }) => geometry !== null)
    .map((one) => look(one, 'result'))
}

/** Number and mark of each feature, so that the list and the map can be read together. */
function labelsOf(answered: Answered) {
  const verdict = verdictOf(answered)
  if (verdict === undefined) return []
  return answered.input.flatMap((feature, i) => {
    const box = boxOf([feature])
    if (box === undefined) return []
    const [west, , east, north] = box
    return [{ longitude: (west + east) / 2, latitude: north, text: `${i + 1} ${verdict.results[i]?.pass ? '✓' : '✗'}` }]
  })
}
