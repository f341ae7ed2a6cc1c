/** The settings of a zone rule, with how many sensors are inside before it is saved. */
import type { Signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import { href, navigate } from '../../shell/router.ts'
import { enterpriseId, may } from '../../shell/session.ts'
import { t } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { attempt, notifyFailure } from '../../ui/failure-text.tsx'
import { SelectField, Switch, TextField } from '../../ui/field.tsx'
import { failureText, useDraft } from '../../ui/form.ts'
import { notify } from '../../ui/toasts.tsx'
import type { Drawn } from '../map/engine/draw.ts'
import type { LiveAssets } from '../map/engine/live-assets.ts'
import { DurationField } from '../rules/form/duration-field.tsx'
import { EdgeFields } from '../rules/form/kind-parts.tsx'
import { numberIn } from '../rules/numbers.ts'
import { WHENS } from '../rules/rule-data.ts'
import { SensorPicker } from '../sensors/sensor-picker.tsx'
import { TagsEditor } from '../sensors/tags-editor.tsx'
import { DwellNow } from './dwell-now.tsx'
import { InsideNow } from './inside-now.tsx'
import { ShapeQuestion, ZoneConflict } from './zone-conflict.tsx'
import { loadZones, shapeTag, type ZoneFeature, type ZoneRule } from './zone-data.ts'
import {
  checkedZone,
  createLayer,
  createZoneRule,
  isSameRule,
  NEW_ZONE,
  replacePolygons,
  ShapeConflict,
  saveRule,
  valuesOf,
  type ZoneValues,
} from './zone-rule-api.ts'

/** The shape of the zone that the map shows and lets the person change. */
export type ZoneShape =
  | { kind: 'none' }
  | { kind: 'layer'; layerId: string }
  /** `stored` is the version that somebody else saved meanwhile. */
  | { kind: 'draw'; polygons: Drawn[]; stored?: ZoneFeature[] }
type Saved = { rule: ZoneRule; etag: string | undefined; sensors: { id: string; name: string }[] }

/** More corners than a person would move by hand. */
const MAX_EDITED = 200

/** Fields whose texts have rules. */
const EDGE = ['dwellSeconds', 'minReadings', 'minSeconds', 'bufferM']
const SETTLE_MS = 250

const isEditable = (features: readonly ZoneFeature[]): features is (ZoneFeature & Drawn)[] =>
  features.length > 0 &&
  features.length <= MAX_EDITED &&
  features.every(({ geometry }) => geometry.type === 'Polygon' && geometry.coordinates.length === 1)

export function ZoneForm(props: {
  saved: Saved | undefined
  live: LiveAssets
  shape: Signal<ZoneShape>
  drawn: Signal<Drawn[]>
  /** The distance around the zone that the map shows. */
  bufferM: Signal<number>
  onSaved: () => void
}) {
  const { saved, shape, drawn } = props
  const owner = enterpriseId.value as string
  const initial = saved === undefined ? NEW_ZONE : valuesOf(saved.rule, saved.sensors)
  const draft = useDraft<ZoneValues>(
    saved === undefined ? `zone.${owner}` : `zone.${saved.rule.id}.${saved.rule.updatedAt}`,
    initial,
  )
  const values = draft.values.value
  const [missing, setMissing] = useState<'zone' | 'sensors' | undefined>(undefined)
  /** Fields that lost the focus: their rules are checked already. */
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const layers = useResource(
    (signal) =>
      dataOf(
        api.GET('/manage/v1/owners/{ownerId}/layers', {
          params: { path: { ownerId: owner }, query: { limit: 1_000 } },
          signal,
        }),
      ),
    [owner],
  )
  const isReadOnly = !may.value.administer
  const { faults } = checkedZone(values, values.layerId)
  const leave = (field: string): void => setLeft((before) => new Set([...before, field]))
  const errorAt = (field: string): string | undefined =>
    (left.has(field) ? faults[field] : undefined) ?? draft.errorAt(field)
  useEffect(() => {
    const typed = faults.bufferM === undefined ? (numberIn(values.bufferM) ?? 0) : 0
    const timer = setTimeout(() => {
      props.bufferM.value = typed
    }, SETTLE_MS)
    return () => clearTimeout(timer)
  }, [values.bufferM])

  useEffect(() => {
    shape.value =
      values.source === 'draw' && !isReadOnly
        ? { kind: 'draw', polygons: values.polygons }
        : values.layerId === ''
          ? { kind: 'none' }
          : { kind: 'layer', layerId: values.layerId }
    // the current drawing is in the map already
  }, [values.source, values.layerId])
  useEffect(() => {
    if (values.source === 'draw' && drawn.value.length + values.polygons.length > 0) draft.set('polygons', drawn.value)
  }, [drawn.value])

  async function editLayer(): Promise<void> {
    try {
      // the version is read first: a change between the two requests is noticed when the shape is saved
      const tag = await shapeTag(owner, values.layerId)
      const { features, hasMore } = await loadZones(owner, values.layerId)
      if (hasMore || !isEditable(features)) return notify(t('zones.tooComplex'), { isError: true })
      draft.set('polygons', features)
      draft.set('shapeTag', tag)
    } catch (error) {
      return notifyFailure(error)
    }
    draft.set('source', 'draw')
  }

  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    const hasZone = values.source === 'layer' ? values.layerId !== '' : values.polygons.length > 0
    if (!hasZone) return setMissing('zone')
    if (values.targets === 'chosen' && values.sensors.length + values.tags.length === 0) return setMissing('sensors')
    setMissing(undefined)
    setLeft(new Set(EDGE))
    if (EDGE.some((field) => faults[field] !== undefined)) {
      requestAnimationFrame(() => document.querySelector<HTMLElement>('.zone-fields [aria-invalid]')?.focus())
      return
    }
    await save(saved?.etag)
  }

  /** @param etag of the version that may be replaced; undefined replaces any */
  async function save(etag: string | undefined): Promise<void> {
    const result = await draft.submit(async (sent, key) => {
      const isNewShape = sent.source === 'draw' && sent.layerId === ''
      const layerId = isNewShape ? await newLayer(sent, key) : sent.layerId
      const rule = await (saved === undefined
        ? createZoneRule(sent, layerId, key)
        : isSameRule(sent, initial, layerId)
          ? saved.rule
          : saveRule(saved.rule.id, sent, layerId, etag))
      // after the rule: if the rule is refused, its shape stays unchanged
      if (sent.source === 'draw' && !isNewShape) await replacePolygons(owner, layerId, sent.polygons, sent.shapeTag)
      return rule
    })
    if (result === undefined) {
      if (draft.error.peek() instanceof ShapeConflict) await showStored()
      return
    }
    notify(saved === undefined ? t('zones.created') : t('zones.saved'))
    if (saved === undefined) navigate(href('/zones/:id', { id: result.id }).replace(/^\/portal/, ''))
    else props.onSaved()
  }

  /** The other person's shape on the map, below the own shape. */
  async function showStored(): Promise<void> {
    const { features } = await loadZones(owner, values.layerId)
    shape.value = { kind: 'draw', polygons: drawn.peek(), stored: features }
  }

  async function overwriteShape(): Promise<void> {
    const { layerId, polygons } = draft.values.peek()
    await attempt(async () => {
      await replacePolygons(owner, layerId, polygons, undefined)
      draft.clear()
      notify(t('zones.saved'))
      props.onSaved()
    })
  }

  /** A created layer is kept in the draft: if the rule is refused, the layer is not created again. */
  async function newLayer(sent: ZoneValues, key: string): Promise<string> {
    const made = await createLayer(owner, sent.name.trim() || t('zones.newTitle'), sent.polygons, key)
    draft.set('layerId', made)
    return made
  }

  const error = draft.error.value
  if (error instanceof ShapeConflict)
    return (
      <ShapeQuestion
        onMine={overwriteShape}
        onTheirs={() => {
          draft.clear()
          props.onSaved()
        }}
      />
    )
  if (saved !== undefined && error?.status === 412)
    return (
      <ZoneConflict
        mine={values}
        theirs={error.data as ZoneRule}
        layers={layers.data.value?.items ?? []}
        onMine={() => save(undefined)}
        onTheirs={() => {
          draft.clear()
          props.onSaved()
        }}
      />
    )
  return (
    <form class="form" onSubmit={(event) => void submit(event)} noValidate>
      <fieldset class="zone-fields" disabled={isReadOnly}>
        <TextField
          label={t('zones.name')}
          placeholder={t('zones.namePlaceholder')}
          maxLength={200}
          {...draft.field('name')}
        />
        <SelectField
          label={t('zones.zone')}
          value={values.source === 'draw' ? 'draw' : values.layerId}
          error={missing === 'zone' ? t('zones.missingZone') : draft.errorAt('layerId')}
          options={[
            { value: 'draw', label: values.layerId === '' ? t('zones.drawNew') : t('zones.drawChange') },
            { value: '', label: t('zones.chooseLayer') },
            ...(layers.data.value?.items ?? []).map(({ id, name }) => ({ value: id, label: name })),
          ]}
          onChange={(value) => {
            setMissing(undefined)
            if (value === 'draw') {
              draft.set('layerId', '')
              draft.set('source', 'draw')
            } else {
              draft.set('layerId', value)
              draft.set('source', 'layer')
            }
          }}
        />
        {values.source === 'layer' && values.layerId !== '' && !isReadOnly && (
          <Button icon="edit" onClick={editLayer}>
            {t('zones.editShape')}
          </Button>
        )}
        <SelectField
          label={t('zones.when')}
          value={values.when}
          options={WHENS.map((when) => ({ value: when, label: t(`zones.whens.${when}`) }))}
          onChange={(when) => draft.set('when', when)}
          help={t(`zones.whenHelp.${values.when}`)}
        />
        {values.when === 'dwell' && (
          <DurationField
            label={t('rules.dwell')}
            help={t('rules.changeHelp')}
            value={values.dwell}
            onInput={(dwell) => draft.set('dwell', dwell)}
            onLeave={() => leave('dwellSeconds')}
            error={errorAt('dwellSeconds')}
          />
        )}
        <details class="rule-more" open={values.bufferM !== '' || EDGE.some((field) => errorAt(field)) || undefined}>
          <summary>{t('rules.flapping')}</summary>
          <div class="rule-fields">
            <EdgeFields
              values={values}
              onInput={draft.set}
              errorAt={errorAt}
              leave={leave}
              bufferHelp={`${t('rules.bufferHelp')} ${t('rules.bufferOnMap')}`}
            />
          </div>
        </details>
        <SelectField
          label={t('zones.sensors')}
          value={values.targets}
          options={[
            { value: 'all', label: t('zones.allSensors') },
            { value: 'chosen', label: t('zones.chosenSensors') },
          ]}
          onChange={(targets) => draft.set('targets', targets)}
        />
        {values.targets === 'chosen' && (
          <TagsEditor
            label={t('rules.tags')}
            tags={values.tags}
            onChange={(tagsOf) => draft.set('tags', tagsOf(values.tags))}
            error={draft.errorAt('tags')}
          />
        )}
        {values.targets === 'chosen' && (
          <SensorPicker
            label={t('zones.chosenSensors')}
            picked={values.sensors}
            onChange={(sensors) => draft.set('sensors', sensors)}
            error={missing === 'sensors' ? t('zones.missingSensors') : draft.errorAt('sensorIds')}
          />
        )}
        <Switch
          label={values.enabled ? t('zones.on') : t('zones.off')}
          isOn={values.enabled}
          onChange={(enabled) => draft.set('enabled', enabled)}
        />
      </fieldset>
      <InsideNow live={props.live} values={values} />
      {saved?.rule.when === 'dwell' && <DwellNow ruleId={saved.rule.id} />}
      {error !== undefined && (
        <p class="form-error" role="alert">
          {failureText(error)}
        </p>
      )}
      {!isReadOnly && (
        <div class="row">
          <Button kind="main" type="submit">
            {saved === undefined ? t('zones.create') : t('frame.save')}
          </Button>
        </div>
      )}
    </form>
  )
}
