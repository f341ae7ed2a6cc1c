/** Weekly schedules of the reference for alert rules: an instant is inside when the zone's clock shows such a time. */

type Day = 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun'

const DAYS: readonly string[] = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] satisfies Day[]

/** Times are HH:MM, `to` up to 24:00. A window whose `from` is after its `to` continues on the next day. */
export type RefSchedule = { tz: string; weekly: { days: Day[]; from: string; to: string }[] }

/** Whether an instant is inside. Without a schedule every instant is. */
export function scheduleOf(schedule: RefSchedule | undefined): (at: number) => boolean {
  if (schedule === undefined) return () => true
  const clock = new Intl.DateTimeFormat('en-US', {
    timeZone: schedule.tz,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
  return (at) => {
    const shown = Object.fromEntries(clock.formatToParts(at).map(({ type, value }) => [type, value]))
    const today = DAYS.indexOf(shown.weekday!.toLowerCase())
    const yesterday = (today + 6) % 7
    const time = `${shown.hour}:${shown.minute}`
    // texts of the form HH:MM are in the order of the times
    return schedule.weekly.some(({ days, from, to }) => {
      const isOn = (day: number): boolean => days.some((name) => name === DAYS[day])
      if (from < to) return isOn(today) && from <= time && time < to
      return (isOn(today) && from <= time) || (isOn(yesterday) && time < to)
    })
  }
}
