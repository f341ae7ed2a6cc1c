/** Texts of warnings about alert rules. */
export const RULE = {
  tagWithoutSensors: {
    en: 'tags: no sensor has the tag {tag}',
    ar: 'tags: لا يوجد مستشعر يحمل الوسم {tag}',
  },
  notJudged: {
    en: 'the server judges no alert rules while it runs as several instances; the rule makes no alerts',
    ar: 'لا يفحص الخادم قواعد التنبيه ما دام يعمل بعدة نسخ؛ فلن تُصدر القاعدة تنبيهات',
  },
  episodesLeftOut: {
    en: 'only the first {shown} episodes are listed; there are {left} more',
    ar: 'لم تُذكر إلا أول {shown} من حالات التنبيه، وعدد الباقي: {left}',
  },
} as const
