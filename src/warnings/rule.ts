/** Texts of warnings about alert rules. */
export const RULE = {
  tagWithoutSensors: {
    en: 'tags: no sensor has the tag {tag}',
    ar: 'tags: لا يوجد مستشعر يحمل الوسم {tag}',
  },
} as const
