/** Reads the segments before the picture of a JPEG: further pictures (CIPA DC-007), a gain map, a video, a profile. */
import { type FileHandle, open } from 'node:fs/promises'
import { type Warning, warning } from '../../warnings/warning.ts'

export type JpegHead = {
  /** Number of pictures, excluding reduced versions. */
  pictures: number
  hasProfile: boolean
  /** Data attached to the picture, besides its pixels, which no tool uses. */
  unused: Warning[]
}

const [SOS, APP1, APP2] = [0xda, 0xe1, 0xe2]
const MAX_SEGMENTS = 1_000
/** MP entry (DC-007, 5.2.3.3): a large thumbnail. */
const THUMBNAIL = 1
const ENTRY_BYTES = 16
const ENTRIES_TAG = 0xb002
/** Metadata of gain maps: Adobe and Google, ISO 21496-1, and Apple. */
const GAIN_MAP = /hdrgm:Version|urn:iso:std:iso:ts:21496:-1|HDRGainMapVersion/
const GAIN_MAP_HEAD_BYTES = 32 * 1024
const VIDEO = /(MotionPhoto|MicroVideo)(="1"|>1<)/

export async function readJpegHead(path: string): Promise<JpegHead> {
  const file = await open(path)
  const head: JpegHead = { pictures: 1, hasProfile: false, unused: [] }
  try {
    const mark = await read(file, 2, 4)
    for (
      let at = 2, count = 0;
      mark.length === 4 && mark[0] === 0xff && mark[1] !== SOS && count < MAX_SEGMENTS;
      count++
    ) {
      const length = mark.readUInt16BE(2)
      if (mark[1] === APP1 || mark[1] === APP2) {
        const segment = await read(file, at + 4, length - 2)
        const name = segment.toString('latin1', 0, 12)
        if (name.startsWith('ICC_PROFILE')) head.hasProfile = true
        if (name.startsWith('http://ns.ad') && VIDEO.test(segment.toString('latin1')))
          head.unused.push(warning('videoLeftOut'))
        if (name.startsWith('MPF\0')) await countPictures(file, segment.subarray(4), at + 8, head)
      }
      at += 2 + length
      mark.fill(0)
      await file.read(mark, 0, 4, at)
    }
  } finally {
    await file.close()
  }
  return head
}

async function read(file: FileHandle, at: number, bytes: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.max(0, bytes)), 0, Math.max(0, bytes), at)
  return buffer.subarray(0, bytesRead)
}

/** @param start position of the index in the file, the origin of its offsets */
async function countPictures(file: FileHandle, index: Buffer, start: number, head: JpegHead): Promise<void> {
  const little = index[0] === 0x49
  const whole = (at: number, bytes: number): number =>
    at + bytes > index.length ? 0 : little ? index.readUIntLE(at, bytes) : index.readUIntBE(at, bytes)
  const directory = whole(4, 4)
  for (let at = directory + 2, left = whole(directory, 2); left > 0 && at < index.length; at += 12, left--) {
    if (whole(at, 2) !== ENTRIES_TAG) continue
    const entries = whole(at + 8, 4)
    // the first entry is the main picture
    for (let entry = entries + ENTRY_BYTES; entry < entries + whole(at + 4, 4); entry += ENTRY_BYTES) {
      if ((whole(entry, 4) & 0xff0000) >> 16 === THUMBNAIL) continue
      const picture = (await read(file, start + whole(entry + 8, 4), GAIN_MAP_HEAD_BYTES)).toString('latin1')
      if (GAIN_MAP.test(picture)) head.unused.push(warning('gainMapLeftOut'))
      // programs that drop the further pictures keep the index
      else if (picture.startsWith('\xff\xd8\xff')) head.pictures++
    }
  }
}
