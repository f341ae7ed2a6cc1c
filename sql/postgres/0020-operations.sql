-- Data of the operator's pages: figures of enterprises, the state of every server process, and its history.

-- Figures by which the list of enterprises is sorted. Sensors are counted by triggers; servers write the other figures
-- for enterprises that changed (src/monitoring/enterprise-figures.ts).
CREATE TABLE enterprise_figures (
  enterprise_id  text PRIMARY KEY REFERENCES enterprises (id) ON DELETE CASCADE,
  sensors        integer NOT NULL DEFAULT 0,
  -- readings accepted on this UTC day
  day            date NOT NULL DEFAULT 'epoch',
  readings       bigint NOT NULL DEFAULT 0,
  -- size of files and layers, and the time when it was summed
  stored_bytes   bigint NOT NULL DEFAULT 0,
  stored_at      timestamptz NOT NULL DEFAULT 'epoch',
  -- the newest reading that was accepted or tool that ran; 1970 for never
  last_active_at timestamptz NOT NULL DEFAULT 'epoch'
);
CREATE INDEX enterprise_figures_sensors ON enterprise_figures (sensors, enterprise_id);
CREATE INDEX enterprise_figures_readings ON enterprise_figures (day, readings, enterprise_id);
CREATE INDEX enterprise_figures_stored ON enterprise_figures (stored_bytes, enterprise_id);
CREATE INDEX enterprise_figures_active ON enterprise_figures (last_active_at, enterprise_id);
CREATE INDEX enterprise_figures_oldest ON enterprise_figures (stored_at);
CREATE INDEX enterprises_name ON enterprises (lower(name), id);
CREATE INDEX people_address ON people (lower(email), id);

INSERT INTO enterprise_figures (enterprise_id, sensors)
SELECT enterprises.id, count(sensors.id) FROM enterprises
LEFT JOIN sensors ON sensors.enterprise_id = enterprises.id GROUP BY enterprises.id;

CREATE FUNCTION begin_enterprise_figures() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO enterprise_figures (enterprise_id) VALUES (NEW.id);
  RETURN NULL;
END
$$;
CREATE TRIGGER enterprise_figures_begun AFTER INSERT ON enterprises
  FOR EACH ROW EXECUTE FUNCTION begin_enterprise_figures();

CREATE FUNCTION count_enterprise_sensors() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  direction integer := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
  UPDATE enterprise_figures SET sensors = enterprise_figures.sensors + direction * counted.sensors
  FROM (SELECT enterprise_id, count(*)::integer AS sensors FROM changed GROUP BY enterprise_id) AS counted
  WHERE enterprise_figures.enterprise_id = counted.enterprise_id;
  RETURN NULL;
END
$$;
CREATE TRIGGER sensors_counted AFTER INSERT ON sensors
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_enterprise_sensors();
CREATE TRIGGER sensors_discounted AFTER DELETE ON sensors
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_enterprise_sensors();

-- Readings of an enterprise that each instance accepted on a UTC day.
CREATE TABLE enterprise_readings (
  enterprise_id text NOT NULL REFERENCES enterprises (id) ON DELETE CASCADE,
  instance_id   text NOT NULL,
  day           date NOT NULL,
  readings      bigint NOT NULL,
  PRIMARY KEY (enterprise_id, instance_id)
);

-- One row for each server process and job worker: its latest report about itself.
CREATE TABLE server_instances (
  id          text PRIMARY KEY,
  name        text NOT NULL,
  version     text NOT NULL,
  started_at  timestamptz NOT NULL,
  reported_at timestamptz NOT NULL,
  -- null while it runs, and if it ended without being stopped
  stopped_at  timestamptz,
  report      jsonb NOT NULL
);

-- A row whenever the state of a part changes.
CREATE TABLE health_events (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  instance_id text NOT NULL,
  part        text NOT NULL,
  state       text NOT NULL CHECK (state IN ('ok', 'degraded', 'failing', 'stopped')),
  detail      text,
  at          timestamptz NOT NULL
);
CREATE INDEX health_events_at ON health_events (at, id);
CREATE INDEX health_events_part ON health_events (instance_id, part, at);

-- A row for each minute and instance. Readings are counts of the minute; delays are its maxima.
CREATE TABLE health_samples (
  at                timestamptz NOT NULL,
  instance_id       text NOT NULL,
  accepted          bigint NOT NULL,
  duplicates        bigint NOT NULL,
  refused           bigint NOT NULL,
  lag_seconds       real NOT NULL,
  segments          integer NOT NULL,
  log_bytes         bigint NOT NULL,
  loop_delay_ms     real NOT NULL,
  server_bytes      bigint NOT NULL,
  server_cpu        real NOT NULL,
  workers_bytes     bigint NOT NULL,
  workers_cpu       real NOT NULL,
  disk_free_bytes   bigint NOT NULL,
  PRIMARY KEY (at, instance_id)
);

-- Tokens of operators, besides the one in DATA_DIR/operator.token.
CREATE TABLE operator_tokens (
  id           text PRIMARY KEY,
  name         text NOT NULL,
  token_sha256 text NOT NULL UNIQUE,
  last_four    text NOT NULL,
  created_by   text NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now(),
  expires_at   timestamptz,
  last_used_at timestamptz,
  revoked_at   timestamptz
);

-- All jobs by their state, newest first.
CREATE INDEX jobs_status ON jobs (status, id);
