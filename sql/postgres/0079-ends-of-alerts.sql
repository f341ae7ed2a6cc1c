-- The end of an alert goes where its beginning went (src/stores/postgres/events/subscribers.ts).
CREATE INDEX events_of_alert ON events ((data ->> 'id')) WHERE type = 'alert.firing';
