/** The brightness of pixels, used to equalise contrast and sharpen edges. */

export type Samples = { data: Uint8Array; width: number; height: number; channels: 3 | 4 }

/** Rec. ITU-R BT.709-6, in 1/65536. */
const [RED, GREEN, BLUE] = [13_933, 46_871, 4_732] as const

/** Fills `brightness` with the levels of the pixels from `pixel` on, 0 to 255. */
export function writeBrightness({ data, channels }: Samples, pixel: number, brightness: Uint8Array): void {
  for (let i = 0, at = pixel * channels; i < brightness.length; i++, at += channels)
    brightness[i] =
      ((data[at] as number) * RED + (data[at + 1] as number) * GREEN + (data[at + 2] as number) * BLUE + 32_768) >> 16
}
