/** Shared by clip and erase: a layer, a mask, and the side of the mask to keep. */
import { Type } from '@sinclair/typebox'
import { dimensionOf } from '../lib/geo/geometry/wkb.ts'
import { type Feature, withFeatures } from '../lib/geo/layers/layer.ts'
import { warning } from '../warnings/warning.ts'
import { layerResult, readCompared, type VectorOutput, vectorFile, vectorOutput } from './layers.ts'
import { lowestDimension, requireKinds, withMask } from './overlays.ts'
import { file } from './params.ts'
import { madeValid } from './row-part.ts'
import { rowsOf, workOnRows } from './shared-rows.ts'
import type { InputFile, RunContext, ToolResult } from './tool.ts'

export const clipEraseInput = () =>
  Type.Object({
    file: vectorFile(),
    mask: file('vector', {
      title: { en: 'Mask', ar: 'القناع' },
      en: 'The boundary, in any CRS: polygons, or also lines for a layer of lines, and points for a layer of points',
      ar: 'الحدود، بأي نظام إحداثيات: مضلعات، أو خطوط كذلك لطبقة من الخطوط، ونقاط لطبقة من النقاط',
    }),
    ...vectorOutput(),
  })

type ClipEraseInput = { file: InputFile; mask: InputFile } & VectorOutput

/** @param operation whether to keep the inside or the outside of the mask */
export async function clipOrErase(
  { file: source, mask, ...output }: ClipEraseInput,
  operation: 'intersection' | 'difference',
  suffix: string,
  context: RunContext,
): Promise<ToolResult> {
  const layer = await readCompared(source, 'file', context)
  const valid = await madeValid(layer.features, 'file', context, layer.warnings)
  const highest = highestDimension(valid)
  // a line contains no part of a polygon, so clipping, unlike erasing, needs a mask of at least the layer's dimension;
  // saved tools allow polygons only
  const needed = operation === 'difference' ? 0 : mask.bound === undefined ? highest : 2
  const warnings = [...layer.warnings]
  const features = await withMask(mask, 'mask', context, layer.crs, needed, async (overlay) => {
    requireKinds(overlay, 'mask')
    if (mask.bound === undefined && lowestDimension(overlay) < highest) warnings.push(warning('maskRemovesNothing'))
    const rows = rowsOf(valid)
    const options = { keep: operation }
    const task = {
      operation: 'clipOrErase',
      options,
      field: 'file',
      warnings,
      rows,
      others: overlay.set,
      othersField: 'mask',
    } as const
    const { rows: parts } = await workOnRows(task, context)
    return parts.map(({ values: [index], geometry }) => ({ ...(valid[index as number] as Feature), geometry }))
  })
  return layerResult({ ...withFeatures(layer, features), warnings }, output, source, suffix, context, {
    inputFeatureCount: layer.features.length,
    droppedCount: layer.features.length - features.length,
  })
}

const highestDimension = (features: readonly Feature[]): number =>
  features.reduce((highest, { geometry }) => Math.max(highest, geometry === null ? -1 : dimensionOf(geometry)), -1)
