/** Texts of warnings about alert rules. */
export const RULE = {
  tagWithoutSensors: {
    en: 'tags: no sensor has the tag {tag}',
    ar: 'tags: لا يوجد مستشعر يحمل الوسم {tag}',
  },
  episodesLeftOut: {
    en: 'only the first {shown} episodes are listed; there are {left} more',
    ar: 'لم تُذكر إلا أول {shown} من حالات التنبيه، وعدد الباقي: {left}',
  },
} as const
