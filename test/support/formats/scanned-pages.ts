/**
 * Pages of text as a scanner would deliver them: set by Pango, then skewed, noisy or turned; and how well they were
 * recognised.
 */
import { join } from 'node:path'
import sharp, { type Sharp } from 'sharp'
import { ROOT } from '../processes.ts'
import { seeded } from '../random.ts'

const FONTS = join(ROOT, 'node_modules/@expo-google-fonts')
export const FACES = {
  amiri: { font: 'Amiri', fontfile: join(FONTS, 'amiri/400Regular/Amiri_400Regular.ttf') },
  naskh: {
    font: 'Noto Naskh Arabic',
    fontfile: join(FONTS, 'noto-naskh-arabic/400Regular/NotoNaskhArabic_400Regular.ttf'),
  },
  latin: { font: 'IBM Plex Sans', fontfile: join(FONTS, 'ibm-plex-sans/400Regular/IBMPlexSans_400Regular.ttf') },
} as const
export type Face = keyof typeof FACES

export const ARABIC = [
  'تقرير عن موسم الأمطار',
  'بدأ موسم الأمطار هذا العام متأخرا أسبوعين عن موعده المعتاد، وسجلت المحطات الساحلية أقل كمية منذ عشرين عاما. ويعزو الخبراء ذلك إلى ارتفاع حرارة سطح البحر وتغير اتجاه الرياح، بينما تلقت المرتفعات الجنوبية أمطارا غزيرة أدت إلى فيضان بعض الأودية وإغلاق الطريق الجبلي مدة ثلاثة أيام.',
  'ولا تزال الفرق الفنية تراقب مستوى المياه في السدود، إذ بلغ مخزون السد الكبير 62 في المئة من سعته. وأوصى التقرير بزيادة عدد أجهزة الرصد، وتدريب العاملين على صيانتها، ونشر النشرات اليومية على موقع الهيئة.',
  'أما المزارعون فقد أجلوا زراعة القمح حتى نهاية الشهر، واستعانوا بمياه الآبار لري البساتين. وقال أحدهم إن الأرض عطشى لكنها كريمة، وإن الصبر مفتاح الفرج.',
  'نتائج القياس',
  'قيست الرطوبة عند الساعة السادسة صباحا والثانية عشرة ظهرا والسادسة مساء، وحسب المتوسط اليومي من القيم الثلاث. وتراوحت النتائج بين 35 و 81 في المئة، وكان أعلاها في القرى القريبة من الشاطئ وأدناها في السهول الداخلية.',
  'تقع محطة القياس على التل الشمالي وترسل قراءاتها كل ساعة إلى المركز. بلغ متوسط درجة الحرارة 18 درجة وكانت أعلى قراءة 31 وأدناها 4 درجات. تحفظ كل قراءة على القرص قبل إرسال الجواب ولا تسجل القراءة نفسها مرتين.',
  'تطبع خرائط المنطقة مع مقياس رسم وسهم يشير إلى الشمال وأسماء جميع الأماكن. وتعرض الحدود الإدارية بخط متقطع والطرق الرئيسية بخط عريض، أما الأودية فترسم باللون الأزرق الفاتح.',
  'كان البحر هادئا في ذلك الصباح، وخرج الصيادون بقواربهم الصغيرة قبل شروق الشمس. عادوا عند الظهر وقد امتلأت شباكهم بالسمك، فاستقبلهم الأطفال على الشاطئ بالضحك والغناء ثم حملوا الصناديق إلى البيوت.',
  'العنوان: شارع النخيل، بناية رقم 47، الطابق الثالث. الهاتف 5550192. ساعات العمل من الثامنة صباحا حتى الرابعة مساء.',
]
export const ENGLISH = [
  'The station at Hill 204 sent 1,482 batches between 06:15 and 18:40 on 12 March 2024. The mean temperature was 18.7 degrees, the highest 31.2 and the lowest 4.9. A reading that was accepted is on disk before the answer leaves, and a batch that is sent again is recognised by its times.',
  'Maps of the area are printed at 1:25,000 with a scale bar, a north arrow and the names of all places. Administrative boundaries are drawn with a dashed line, main roads with a wide one, and valleys in light blue.',
  'The council meets on the first day of each month to discuss the affairs of the town and its new projects. Members agreed to repair the old water network and to extend the public garden near the market.',
]

/** A4 in inches, with margins. */
const PAPER = { width: 8.27, height: 11.69, margin: 0.8, gap: 0.17 }

/** Black text on a white A4 page, as PNG. */
export async function printedPage(
  paragraphs: readonly string[],
  face: Face,
  { dpi, points }: { dpi: number; points: number },
): Promise<Buffer> {
  const [width, height] = [Math.round(PAPER.width * dpi), Math.round(PAPER.height * dpi)]
  const margin = Math.round(PAPER.margin * dpi)
  const blocks = []
  let top = margin
  for (const text of paragraphs) {
    const block = await sharp({
      text: { text, ...FACES[face], font: `${FACES[face].font} ${points}`, dpi, width: width - 2 * margin },
    })
      .extractChannel(0)
      .negate()
      .png()
      .toBuffer({ resolveWithObject: true })
    const left = face === 'latin' ? margin : width - margin - block.info.width
    blocks.push({ input: block.data, left, top })
    top += block.info.height + Math.round(PAPER.gap * dpi)
  }
  return sharp({ create: { width, height, channels: 3, background: '#ffffff' } })
    .composite(blocks)
    .greyscale()
    .withMetadata({ density: dpi })
    .png()
    .toBuffer()
}

export const CONDITIONS = ['clean', 'skewed', 'noisy', 'sideways', 'upside down'] as const
export type Condition = (typeof CONDITIONS)[number]

const SKEW = 2

/** The page as scanned. @param seed of the noise */
export async function scanned(page: Buffer, condition: Condition, dpi: number, seed = 20): Promise<Buffer> {
  const image = sharp(page)
  const turns = { skewed: SKEW, sideways: 90, 'upside down': 180 }
  const turned =
    condition === 'clean' || condition === 'noisy' ? image : image.rotate(turns[condition], { background: '#ffffff' })
  const grey = turned.greyscale().withMetadata({ density: dpi })
  return condition === 'noisy' ? noisy(grey, dpi, seed) : grey.png().toBuffer()
}

/** Pale ink on grey paper, out of focus, with Gaussian noise and specks of dust. */
async function noisy(image: Sharp, dpi: number, seed: number): Promise<Buffer> {
  const { data, info } = await image
    .blur(0.8 * (dpi / 300) + 0.1)
    .raw()
    .toBuffer({ resolveWithObject: true })
  const random = seeded(seed)
  const [paper, contrast, deviation, specks] = [235, 0.8, 22, 0.0015]
  for (let i = 0; i < data.length; i++) {
    // the sum of four uniform numbers is close to a normal distribution with a variance of a third
    const normal = (random() + random() + random() + random() - 2) * Math.sqrt(3)
    const dust = random()
    const shade = paper - (255 - (data[i] as number)) * contrast + normal * deviation
    data[i] = dust < specks ? 0 : dust > 1 - specks ? 255 : Math.max(0, Math.min(255, Math.round(shade)))
  }
  const raw = { width: info.width, height: info.height, channels: 1 as const }
  return sharp(data, { raw }).withMetadata({ density: dpi }).png().toBuffer()
}

/** Without direction marks, and with one space between words. */
export const flat = (text: string): string =>
  text
    .replace(/[\u200E\u200F\u202A-\u202E\u2066-\u2069]/g, '')
    .replace(/\s+/g, ' ')
    .trim()

/** Levenshtein distance of two texts, as a share of the length of the true one. */
export function errorRate(read: string, truth: string): number {
  let row = Array.from({ length: truth.length + 1 }, (_, i) => i)
  for (let i = 1; i <= read.length; i++) {
    const next = [i]
    for (let j = 1; j <= truth.length; j++)
      next[j] = Math.min(
        (row[j] as number) + 1,
        (next[j - 1] as number) + 1,
        (row[j - 1] as number) + (read[i - 1] === truth[j - 1] ? 0 : 1),
      )
    row = next
  }
  return (row[truth.length] as number) / truth.length
}
