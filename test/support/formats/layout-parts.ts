/** Parts of page layouts besides text: a chart, fonts without a map, and sentences. */
import { PDFName, rgb } from '@cantoo/pdf-lib'
import type { Sheets } from './sheets.ts'

/** A line chart with axes, ticks and labels, none of which is part of the text. */
export function chart(to: Sheets, left: number, top: number, width: number, height: number): void {
  const page = to.page()
  const y = (down: number): number => page.getHeight() - top - down
  const points = [0.2, 0.5, 0.35, 0.7, 0.6, 0.9, 0.55]
  page.drawLine({ start: { x: left, y: y(0) }, end: { x: left, y: y(height) }, thickness: 0.8 })
  page.drawLine({ start: { x: left, y: y(height) }, end: { x: left + width, y: y(height) }, thickness: 0.8 })
  for (const [i, value] of points.entries()) {
    const x = left + (i * width) / points.length
    const next = points[i + 1]
    if (next !== undefined)
      page.drawLine({
        start: { x, y: y(height - value * height) },
        end: { x: left + ((i + 1) * width) / points.length, y: y(height - next * height) },
        thickness: 1.2,
        color: rgb(0.8, 0.1, 0.1),
      })
    page.drawCircle({ x, y: y(height - value * height), size: 2, color: rgb(0.1, 0.1, 0.8) })
    to.label(String(i * 10), x - 3, top + height + 11)
    to.label(String(i / 5), left - 18, top + height - (i * height) / points.length + 3)
  }
  to.label('elapsed seconds', left + width / 2 - 30, top + height + 23)
  to.label('share of packets', left - 24, top + height / 2 + 30, 8, 90)
}

/** Removes the Unicode maps of the product's fonts, so that codes are only glyph numbers. */
export function withoutUnicode({ document }: Sheets): void {
  const save = document.save.bind(document)
  document.save = async (options) => {
    for (const [, object] of document.context.enumerateIndirectObjects())
      (object as { delete?(key: PDFName): void }).delete?.(PDFName.of('ToUnicode'))
    return save(options)
  }
}

export const ENGLISH = [
  'The station on the northern hill sends its readings every hour, and the harbour station sends them twice a day. A quick brown fox jumps over the lazy dog while the engineers measure the wind.',
  'Heavy rain began before noon. By evening the river had risen by half a metre, and the bridge was closed to all traffic until the following morning.',
  'Nobody expected the zinc plate to withstand such extreme pressure, yet the joint held and the quality of the signal did not suffer.',
]
export const ARABIC = [
  'تقع محطة القياس على التل الشمالي وترسل أربعا وعشرين قراءة كل يوم إلى المركز، ويستقبلها المهندسون في المدينة ثم يحفظونها في قاعدة البيانات.',
  'هطلت أمطار غزيرة قبل الظهر، وارتفع منسوب النهر نصف متر في المساء، وأغلق الجسر أمام حركة المرور حتى صباح اليوم التالي.',
  'تستخدم المؤسسة أجهزة حديثة لقياس الحرارة والرطوبة وسرعة الرياح، وتنشر النتائج في تقرير شهري يقرؤه الباحثون والطلاب.',
]
export const MIXED = [
  'يستخدم النظام قاعدة ClickHouse لحفظ كل القراءات، وبلغ متوسط درجة الحرارة 18.7 درجة في شهر 2024 الماضي.',
  'أرسلت المحطة 24 قراءة إلى خادم Groundwave عبر شبكة الهاتف، ثم حفظتها أداة PostgreSQL في المركز.',
]
