// Generated from /openapi.json by `bun run portal:api`; not edited by hand.
export interface paths {
    "/sensors/{id}/readings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a batch of readings
         * @description Uploads 1 to 500 readings of one sensor. Each reading ends up in exactly one list of the response: `accepted`, `duplicates` or `refused` with a reason. Accepted readings are stored durably. The sensor and `at` identify a reading, so a batch can safely be sent again after a timeout: readings that are already stored are reported as duplicates.
         */
        post: operations["postSensorsByIdReadings"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/assets/sensors/{id}/readings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List readings of a sensor
         * @description Returns readings with `from` ≤ time < `to`, oldest first. Readings older than the retention of the enterprise are not returned. Pass `nextCursor` as `cursor` to get the next page.
         */
        get: operations["getEnterpriseV1AssetsSensorsByIdReadings"];
        put?: never;
        /**
         * Upload readings of a sensor
         * @description Takes the body of `POST /sensors/{id}/readings` and answers like it, for uploads of files without the sensor's key: 1 to 500 readings, each of which ends up in `accepted`, `duplicates` or `refused`. Uploads do not count as calls of the sensor; one application may send `ASSETS_UPLOADS_PER_MINUTE`. They count for the readings of the day. The audit log has one record for the calls of an upload.
         */
        post: operations["postEnterpriseV1AssetsSensorsByIdReadings"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/assets/rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List zone rules */
        get: operations["getEnterpriseV1AssetsRules"];
        put?: never;
        /**
         * Create a zone rule
         * @description Checks the location of each new reading against the polygons of a layer. With `enter` and `leave`, an event is created when a sensor crosses the edge of a polygon; with `inside` and `outside`, for each reading. An edge belongs to its polygon. `sensorIds` or `all` is required. A request with an `Idempotency-Key` can be repeated for 24 hours without creating another rule.
         */
        post: operations["postEnterpriseV1AssetsRules"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/assets/rules/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a zone rule */
        get: operations["getEnterpriseV1AssetsRulesById"];
        put?: never;
        post?: never;
        /**
         * Delete a zone rule
         * @description The events of the rule are no longer available afterwards.
         */
        delete: operations["deleteEnterpriseV1AssetsRulesById"];
        options?: never;
        head?: never;
        /**
         * Update a zone rule
         * @description Changes the sent fields. Set `enabled` to switch the rule on or off. A changed rule applies to readings received from now on. With `If-Match`, it is changed only if it is still the same.
         */
        patch: operations["patchEnterpriseV1AssetsRulesById"];
        trace?: never;
    };
    "/enterprise/v1/assets/rules/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List events of a zone rule
         * @description Returns events oldest first, filtered by time and sensor.
         */
        get: operations["getEnterpriseV1AssetsRulesByIdEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/assets/inside": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * List sensors inside polygons
         * @description Compares the newest position of each sensor with the polygons of a layer, or of GeoJSON that is sent. An edge belongs to its polygon. Returns how many sensors are inside one of them, and the ids of up to 10000.
         */
        post: operations["postEnterpriseV1AssetsInside"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/assets/crs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List coordinate reference systems
         * @description Searches the geographic and projected systems of the EPSG registry that are not deprecated, with their areas of use.
         */
        get: operations["getEnterpriseV1AssetsCrs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/assets/crs/{code}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a coordinate reference system
         * @description `proj4` is a PROJ string that agrees with PROJ within ten metres in the area of use when proj4js computes with it, `errorM` the largest difference found. Both are null where there is no such string: use the tools that convert coordinates.
         */
        get: operations["getEnterpriseV1AssetsCrsByCode"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/assets/sensors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List sensors
         * @description Returns the sensors of the enterprise with their assets and active channels. With `state`, `sort`, `order`, `offset` or `include`, the answer also has `total`, how many sensors match, and `states`, how many of those that match `q` and `tag` are in each state. States, and positions in such a list, follow what sensors send: a sensor may move to another page meanwhile.
         */
        get: operations["getEnterpriseV1AssetsSensors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/assets/sensors/states": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count sensors by state
         * @description Returns how many sensors are in each state, the readings accepted in the last whole minute, and the readings and calls refused in the last hour.
         */
        get: operations["getEnterpriseV1AssetsSensorsStates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/assets/tags": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List tags of sensors
         * @description Returns the tags of the enterprise with the number of sensors that have each, the most used first.
         */
        get: operations["getEnterpriseV1AssetsTags"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/assets/sensors/{id}/refusals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what was refused of a sensor
         * @description Returns the readings and calls of the last hour that were refused, by reason, newest first, with an example of what was sent (at most 1 kB) and what to change. Known two seconds after the refusal.
         */
        get: operations["getEnterpriseV1AssetsSensorsByIdRefusals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/assets/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the current positions of assets
         * @description Returns a GeoJSON FeatureCollection with one point for each asset: the newest location of the asset's sensors. With `format=columns`, the answer has a list for each property instead: item n of each list belongs to the same asset, `state` has indexes of `states`, and `at` seconds after `base`, which is in seconds since 1970.
         */
        get: operations["getEnterpriseV1AssetsLive"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/assets/live/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream positions of assets
         * @description Sends server-sent events. The first event, `snapshot`, contains the current positions. Each `positions` event that follows contains the changed `features` and, in `removed`, the ids of assets that left the bounding box. A slow reader gets the newest positions and skips older ones.
         */
        get: operations["getEnterpriseV1AssetsLiveStream"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/assets/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream what happens
         * @description Sends server-sent events of the chosen topics over one connection. `snapshot` and `positions` are those of `/live/stream`. `states` has `items`, the sensors that changed their state, and `counts` of all sensors; the first one has only counts. `readings` has `items`, new readings of the named sensors. `events` has `items`, new events of zone rules with the names of rule, sensor and layer. A slow reader gets the newest of each.
         */
        get: operations["getEnterpriseV1AssetsStream"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/assets/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List events of all zone rules
         * @description Returns events newest first, with the names of rule, sensor and layer; filtered by time, rule and sensor.
         */
        get: operations["getEnterpriseV1AssetsEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/assets/sensors/{id}/latest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the latest values of a sensor
         * @description Returns the newest value of each active channel with its time, the newest location, and the time of the sensor's last reading.
         */
        get: operations["getEnterpriseV1AssetsSensorsByIdLatest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/assets/sensors/{id}/series": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get time series of a sensor
         * @description Aggregates channels of the sensor over buckets of time. Each bucket covers `[start, start + step)`, is aligned to the clock and is labelled with its start. A value is `null` in a bucket without readings, and the text `Infinity`, `-Infinity` or `NaN` beyond the range of a double. The range defaults to the last 24 hours.
         */
        get: operations["getEnterpriseV1AssetsSensorsByIdSeries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/assets/latest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the latest values of several sensors
         * @description Returns the newest values and the newest location of each sensor.
         */
        get: operations["getEnterpriseV1AssetsLatest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/assets/series": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get time series of several sensors
         * @description Aggregates channels over buckets of time and returns one series for each sensor, channel and aggregate. Sensors without the channel are left out.
         */
        get: operations["getEnterpriseV1AssetsSeries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/assets/tracks/{sensorId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the track of a sensor
         * @description Returns a GeoJSON Feature with the positions of the sensor, oldest first: a LineString, or a Point for a single position. `properties.times` has the time of each position. A track across the antimeridian is a MultiLineString that is cut there, and `times` has a list for each line.
         */
        get: operations["getEnterpriseV1AssetsTracksBySensorId"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/assets/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export readings
         * @description Streams readings as CSV (RFC 4180), JSON Lines, Parquet or Arrow. By default there is a row for each value with `sensorId`, `at`, `channel`, `measurement`, `value`, `longitude` and `latitude`; Parquet and Arrow have booleans in `booleanValue`. With `layout=wide` there is a row for each reading and a typed column for each channel. Readings with only a location are included unless `channel` is set.
         */
        get: operations["getEnterpriseV1AssetsExport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/convert-coordinates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Convert coordinates
         * @description Converts coordinates between decimal degrees, degrees and decimal minutes, and degrees, minutes and seconds. The result has all three notations.
         *
         *     Process id: `convert.convert-coordinates`. Cost: free.
         */
        post: operations["convertConvertCoordinates"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/extract-exif": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Extract photo locations
         * @description Reads position, altitude and time from the EXIF data of JPEG and HEIC photos and returns the positions as GeoJSON points. Photos without a position are listed too.
         *
         *     Process id: `convert.extract-exif`. Cost: 1 credit per successful run. Can run as a job: send `Prefer: respond-async`.
         */
        post: operations["convertExtractExif"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/transform-crs/csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reproject a CSV
         * @description Reprojects the coordinates of a CSV file with PROJ and adds them as the columns target_x and target_y. All other columns are kept unchanged.
         *
         *     Process id: `convert.transform-crs-csv`. Cost: 1 credit per successful run. Can run as a job: send `Prefer: respond-async`.
         */
        post: operations["convertTransformCrsCsv"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/transform-crs/json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reproject points
         * @description Reprojects points with PROJ. x is longitude or easting and y is latitude or northing, regardless of the axis order of the CRS.
         *
         *     Process id: `convert.transform-crs-json`. Cost: free.
         */
        post: operations["convertTransformCrsJson"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/validate-convert": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Validate and convert
         * @description Checks a vector file, repairs invalid geometries and writes the layer in another format.
         *
         *     Process id: `convert.validate-convert`. Cost: 1 credit per successful run. Can run as a job: send `Prefer: respond-async`.
         */
        post: operations["convertValidateConvert"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/compress-pdf": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Compress PDF
         * @description Reduces the size of a PDF: images are downsampled to at most 72 (screen), 150 (ebook) or 300 (print) dots per inch, those of two colours to 300 or 1,200 (print), fonts are reduced to the glyphs in use, and duplicates are removed. Text and vector graphics stay exact. The result is never larger than the file.
         *
         *     Process id: `document.compress-pdf`. Cost: 2 credits per successful run. Can run as a job: send `Prefer: respond-async`.
         */
        post: operations["documentCompressPdf"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/document-sign": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign PDF
         * @description Stamps the image of a signature on pages of a PDF, as large as its box allows. This is an image, not a certified digital signature. Everything else in the file is kept.
         *
         *     Process id: `document.document-sign`. Cost: 1 credit per successful run. Can run as a job: send `Prefer: respond-async`.
         */
        post: operations["documentDocumentSign"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/fill-pdf": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Fill PDF form
         * @description Fills in the form fields of a PDF: text, check boxes, radio groups and lists, in Latin or Arabic script. With flatten, the values become part of the pages and the form is removed.
         *
         *     Process id: `document.fill-pdf`. Cost: 1 credit per successful run. Can run as a job: send `Prefer: respond-async`.
         */
        post: operations["documentFillPdf"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/images-to-pdf": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Images to PDF
         * @description Converts one to twenty images to a PDF, one per page in their order: on A4 in the orientation of the image, or on pages of the size of the image at 96 dots per inch. JPEG photos are not re-encoded; transparency is kept.
         *
         *     Process id: `document.images-to-pdf`. Cost: 1 credit per successful run. Can run as a job: send `Prefer: respond-async`.
         */
        post: operations["documentImagesToPdf"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/merge-pdf": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Merge PDF
         * @description Merges 2 to 20 PDFs in the order in which they are sent. Outlines, links and forms are kept; the metadata is that of the first.
         *
         *     Process id: `document.merge-pdf`. Cost: 1 credit per successful run. Can run as a job: send `Prefer: respond-async`.
         */
        post: operations["documentMergePdf"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/ocr": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Read text (OCR)
         * @description Recognises the text of an image or of every page of a PDF, in English, Arabic or both, in reading order. Pages that are rotated or skewed are turned upright first. The text is in the response and in a file, or in a PDF whose pages can be searched. Each page ends with a form feed.
         *
         *     Process id: `document.ocr`. Cost: 3 credits per successful run. Can run as a job: send `Prefer: respond-async`.
         */
        post: operations["documentOcr"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/pdf-to-images": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * PDF to images
         * @description Renders every page of a PDF as a PNG, including forms and annotations. The result is a ZIP with the pages in order.
         *
         *     Process id: `document.pdf-to-images`. Cost: 1 credit per successful run. Can run as a job: send `Prefer: respond-async`.
         */
        post: operations["documentPdfToImages"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/pdf-to-word": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * PDF to Word
         * @description Converts a PDF to an editable Word document: columns, headings, bold, italic and coloured text, lists, tables, form values, images, links, headers and footers, and right-to-left text. Drawings become images. Text in fonts without a Unicode map is recognised (OCR); scanned pages stay images.
         *
         *     Process id: `document.pdf-to-word`. Cost: 3 credits per successful run. Can run as a job: send `Prefer: respond-async`.
         */
        post: operations["documentPdfToWord"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/pdf-watermark": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Watermark PDF
         * @description Adds a text in Latin or Arabic script or a logo to every page. The text is sharp at any zoom. Everything else in the file is kept.
         *
         *     Process id: `document.pdf-watermark`. Cost: 1 credit per successful run. Can run as a job: send `Prefer: respond-async`.
         */
        post: operations["documentPdfWatermark"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/rotate-pages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate and delete pages
         * @description Rotates pages of a PDF clockwise from their current orientation, and deletes pages. Pages are numbered from 0. Links, forms, outline and metadata are kept.
         *
         *     Process id: `document.rotate-pages`. Cost: 1 credit per successful run. Can run as a job: send `Prefer: respond-async`.
         */
        post: operations["documentRotatePages"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/split-pdf": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Split PDF
         * @description Writes one PDF for each range of pages. One range gives a PDF, several give a ZIP of PDFs.
         *
         *     Process id: `document.split-pdf`. Cost: 1 credit per successful run. Can run as a job: send `Prefer: respond-async`.
         */
        post: operations["documentSplitPdf"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/map-export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Print a map
         * @description Makes a PDF sheet from images of maps, with title, frame with coordinates, true ground scale, arrow to true north, legend, attribution and logo. Text can be selected, and geospatial PDF readers know where each map is.
         *
         *     Process id: `export.map-export`. Cost: 2 credits per successful run. Can run as a job: send `Prefer: respond-async`.
         */
        post: operations["exportMapExport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/workspace-export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Export a layer
         * @description Writes a layer of the workspace as a zipped shapefile, KML, CSV or GeoJSON. CSV contains points as longitude and latitude, and all other geometries as WKT. A shapefile keeps ten characters of a column name; shortened columns are listed.
         *
         *     Process id: `export.workspace-export`. Cost: 1 credit per successful run. Can run as a job: send `Prefer: respond-async`.
         */
        post: operations["exportWorkspaceExport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/convert-format": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Convert image
         * @description Converts an image to another format, rotated according to its EXIF data. Animations are kept between GIF and WebP, and pixels where the format can hold them exactly; warnings list what a format cannot represent (transparency, frames, 16 bits).
         *
         *     Process id: `image.convert-format`. Cost: 1 credit per successful run. Can run as a job: send `Prefer: respond-async`.
         */
        post: operations["imageConvertFormat"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/enhance-quality": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Enhance image
         * @description Equalises local contrast and sharpens edges without changing colours. Full resolution, higher quality and upscaling need the Plus plan; without it the result has at most 2 megapixels.
         *
         *     Process id: `image.enhance-quality`. Cost: 1 credit per successful run. Can run as a job: send `Prefer: respond-async`.
         */
        post: operations["imageEnhanceQuality"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/image-watermark": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Watermark image
         * @description Adds a text in Latin or Arabic script, or a logo, to an image. Send either text or logo, as wm_mode says.
         *
         *     Process id: `image.image-watermark`. Cost: 1 credit per successful run. Can run as a job: send `Prefer: respond-async`.
         */
        post: operations["imageImageWatermark"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/merge-images": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Merge images
         * @description Arranges two to twelve images below each other, beside each other or in a grid, each at its own size, with smaller ones centred. The result is JPEG if all images are, otherwise PNG.
         *
         *     Process id: `image.merge-images`. Cost: 1 credit per successful run. Can run as a job: send `Prefer: respond-async`.
         */
        post: operations["imageMergeImages"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/remove-background": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Remove background
         * @description Makes everything except the foreground transparent. The result is a PNG of the same size.
         *
         *     Process id: `image.remove-background`. Cost: 3 credits per successful run. Can run as a job: send `Prefer: respond-async`.
         */
        post: operations["imageRemoveBackground"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/distance-bearing": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Distance and bearing
         * @description Measures the geodesic distance on the WGS 84 ellipsoid along a list of points, and the forward and back bearing of each segment in degrees clockwise from north.
         *
         *     Process id: `measure.distance-bearing`. Cost: free.
         */
        post: operations["measureDistanceBearing"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/point-in-polygon": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Point in polygon
         * @description Reports for each point whether it is inside a polygon, outside or on its boundary, and its geodesic distance to the nearest edge in metres. Edges are straight lines in longitude and latitude, as in GeoJSON.
         *
         *     Process id: `measure.point-in-polygon`. Cost: free.
         */
        post: operations["measurePointInPolygon"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/cog-optimize": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cloud-optimise GeoTIFF
         * @description Converts a GeoTIFF to a Cloud Optimized GeoTIFF and lists what the file lacked. Lossless; nodata, masks, colour tables, CRS and tags are kept. JPEG, WebP, ZSTD and LERC stay so, and omitted tiles stay omitted. A compressed file that is already a COG is returned unchanged.
         *
         *     Process id: `raster.cog-optimize`. Cost: 2 credits per successful run. Can run as a job: send `Prefer: respond-async`.
         */
        post: operations["rasterCogOptimize"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/hillshade": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Hillshade
         * @description Shades an elevation model as if light fell on it, by Horn's method. The result is a GeoTIFF of bytes: 1 is dark, 255 is bright, and 0 is nodata. Cells at the edge and next to nodata have no shade.
         *
         *     Process id: `raster.hillshade`. Cost: 1 credit per successful run. Can run as a job: send `Prefer: respond-async`.
         */
        post: operations["rasterHillshade"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/raster-inspect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Inspect raster
         * @description Describes a GeoTIFF: CRS, resolution and bounds, and for each band its type, nodata, colour, exact statistics and histogram over all cells, with a preview image as PNG.
         *
         *     Process id: `raster.raster-inspect`. Cost: 1 credit per successful run. Can run as a job: send `Prefer: respond-async`.
         */
        post: operations["rasterRasterInspect"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/zonal-stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Zonal statistics
         * @description Computes statistics of the raster cells whose centre is in each polygon, with a column for each statistic. Zones and raster may have different CRSs. Nodata and masked cells are ignored. A zone without cells has the count 0 and no other values.
         *
         *     Process id: `raster.zonal-stats`. Cost: 2 credits per successful run. Can run as a job: send `Prefer: respond-async`.
         */
        post: operations["rasterZonalStats"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/area-length": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Calculate geometry
         * @description Adds the area and perimeter of polygons and the length of lines, measured on the WGS 84 ellipsoid, as the columns area_m2, perimeter_m and length_m.
         *
         *     Process id: `vector.area-length`. Cost: 1 credit per successful run. Can run as a job: send `Prefer: respond-async`.
         */
        post: operations["vectorAreaLength"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/buffer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Buffer
         * @description Creates the area within a distance of each feature, in metres on the ellipsoid, correct at any latitude, at the poles and across the antimeridian. A negative distance shrinks polygons; features that disappear are left out.
         *
         *     Process id: `vector.buffer`. Cost: 1 credit per successful run. Can run as a job: send `Prefer: respond-async`.
         */
        post: operations["vectorBuffer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/centroids": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Centroids
         * @description Converts each feature to one point: its centroid, or a point inside it.
         *
         *     Process id: `vector.centroids`. Cost: 1 credit per successful run. Can run as a job: send `Prefer: respond-async`.
         */
        post: operations["vectorCentroids"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/clip": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Clip
         * @description Keeps the parts of a layer that are inside the polygons of a mask, or on its lines and points. Attributes are kept.
         *
         *     Process id: `vector.clip`. Cost: 2 credits per successful run. Can run as a job: send `Prefer: respond-async`.
         */
        post: operations["vectorClip"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/concave-hull": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Concave hull
         * @description Returns a polygon around all features that follows their outline.
         *
         *     Process id: `vector.concave-hull`. Cost: 1 credit per successful run. Can run as a job: send `Prefer: respond-async`.
         */
        post: operations["vectorConcaveHull"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/convex-hull": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Convex hull
         * @description Returns the smallest convex polygon around all features.
         *
         *     Process id: `vector.convex-hull`. Cost: 1 credit per successful run. Can run as a job: send `Prefer: respond-async`.
         */
        post: operations["vectorConvexHull"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/dissolve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Dissolve
         * @description Merges the geometries of all features into one, or of those with the same value in a column.
         *
         *     Process id: `vector.dissolve`. Cost: 1 credit per successful run. Can run as a job: send `Prefer: respond-async`.
         */
        post: operations["vectorDissolve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/erase": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Erase
         * @description Removes the parts of a layer that are inside the polygons of a mask, or on its lines and points. Attributes are kept.
         *
         *     Process id: `vector.erase`. Cost: 2 credits per successful run. Can run as a job: send `Prefer: respond-async`.
         */
        post: operations["vectorErase"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/explode": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Explode
         * @description Splits multi-part geometries: each part becomes a feature, and attributes are copied to every part.
         *
         *     Process id: `vector.explode`. Cost: 1 credit per successful run. Can run as a job: send `Prefer: respond-async`.
         */
        post: operations["vectorExplode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/grid": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Grid
         * @description Creates a grid of square cells over the extent of a layer, with a size in metres in a projection centred on the layer. Cells are numbered by row and column from the south-west.
         *
         *     Process id: `vector.grid`. Cost: 1 credit per successful run. Can run as a job: send `Prefer: respond-async`.
         */
        post: operations["vectorGrid"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/inside-check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Inside check
         * @description Reports for each feature how much of it is inside the polygons of a reference layer, by area, length or number of points in an equal-area projection, and whether that satisfies a rule. The boundary counts as inside.
         *
         *     Process id: `vector.inside-check`. Cost: 1 credit per successful run. Can run as a job: send `Prefer: respond-async`.
         */
        post: operations["vectorInsideCheck"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/intersect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Intersect
         * @description Returns the parts that features of one layer share with those of another, with the attributes of both. Polygons share areas, lines with polygons or lines share lines, and points with anything share points.
         *
         *     Process id: `vector.intersect`. Cost: 2 credits per successful run. Can run as a job: send `Prefer: respond-async`.
         */
        post: operations["vectorIntersect"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/line-to-polygon": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Line to polygon
         * @description Closes a line to a polygon and returns its area and perimeter on the ellipsoid and measures of its shape.
         *
         *     Process id: `vector.line-to-polygon`. Cost: free.
         */
        post: operations["vectorLineToPolygon"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/line-to-polygon/file": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Lines of a file to polygons
         * @description Closes every line of a file to a polygon and returns the polygons as GeoJSON, with area and perimeter on the ellipsoid and measures of shape.
         *
         *     Process id: `vector.line-to-polygon-file`. Cost: 1 credit per successful run. Can run as a job: send `Prefer: respond-async`.
         */
        post: operations["vectorLineToPolygonFile"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/merge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Merge
         * @description Merges two to five layers into one, in the CRS of the first. Columns with the same name are combined, and source_file names the file of each feature.
         *
         *     Process id: `vector.merge`. Cost: 1 credit per successful run. Can run as a job: send `Prefer: respond-async`.
         */
        post: operations["vectorMerge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/repair": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Repair geometries
         * @description Makes geometries valid: self-intersecting rings are split, overlapping parts are merged, and geometries without area or length left are dropped.
         *
         *     Process id: `vector.repair`. Cost: 1 credit per successful run. Can run as a job: send `Prefer: respond-async`.
         */
        post: operations["vectorRepair"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/simplify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Simplify
         * @description Removes vertices that are closer than a tolerance to the simplified line (Douglas-Peucker).
         *
         *     Process id: `vector.simplify`. Cost: 1 credit per successful run. Can run as a job: send `Prefer: respond-async`.
         */
        post: operations["vectorSimplify"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/spatial-join": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Spatial join
         * @description Adds the attributes of matching features of another layer to each feature, with one row for each match. An inner join leaves out features without a match.
         *
         *     Process id: `vector.spatial-join`. Cost: 2 credits per successful run. Can run as a job: send `Prefer: respond-async`.
         */
        post: operations["vectorSpatialJoin"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/union": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Union
         * @description Combines two layers of polygons, of lines or of points: parts that both cover have the attributes of both layers, all other parts keep their own.
         *
         *     Process id: `vector.union`. Cost: 2 credits per successful run. Can run as a job: send `Prefer: respond-async`.
         */
        post: operations["vectorUnion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/validate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Validate geometries
         * @description Reports for each feature whether its geometry is valid by the rules of OGC Simple Features, and if not, why and where. Geometries are not changed.
         *
         *     Process id: `vector.validate`. Cost: 1 credit per successful run. Can run as a job: send `Prefer: respond-async`.
         */
        post: operations["vectorValidate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/processes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List processes
         * @description Lists the tools that the key pair may run, in the structure of OGC API – Processes. The response has no envelope.
         */
        get: operations["listProcesses"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/processes/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Describe a process
         * @description Returns the inputs and outputs of a tool as JSON Schema. The response has no envelope.
         */
        get: operations["describeProcess"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List jobs
         * @description Lists the jobs of the organization, newest first.
         */
        get: operations["listJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/jobs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a job
         * @description Returns the status and the progress of a job.
         */
        get: operations["getJob"];
        put?: never;
        post?: never;
        /**
         * Dismiss a job
         * @description Stops the job if it is waiting or running. A finished job does not change.
         */
        delete: operations["dismissJob"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/jobs/{id}/results": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the results of a job
         * @description Returns the envelope that the synchronous call would have returned, with its status, also for a failed job.
         */
        get: operations["getJobResults"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List runs
         * @description Lists the runs of the organization, newest first. With `jobs=true` also jobs that no run stands for: they wait, are running, or ended before their run began. Their `runId` is null.
         */
        get: operations["listRuns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/run-folders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List folders of results
         * @description Lists the folders that runs were put into, by name, with the number of runs in each; at most 1,000. A folder exists as long as a run is in it.
         */
        get: operations["listRunFolders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/runs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a run
         * @description Returns a run with its inputs and artifacts.
         */
        get: operations["getRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Name a run, or put it into a folder
         * @description Gives the run a name, by which its results are found again, or a folder; null removes either. What is left out stays. A folder need not exist before.
         */
        patch: operations["nameRun"];
        trace?: never;
    };
    "/enterprise/v1/gis/runs/{id}/result": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the result of a run
         * @description Returns the result as the call returned it, with its status, also for a failed run. It is kept for jobs, and for calls of accounts unless it is long; `hasResult` of the run says whether it is there.
         */
        get: operations["getRunResult"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/runs/{id}/artifacts/{artifactId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download an artifact
         * @description Returns the content of an output file. Supports `Range` and `If-None-Match`.
         */
        get: operations["getArtifact"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/files/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a file
         * @description Returns the content of a stored file. Supports `Range` and `If-None-Match`.
         */
        get: operations["getFile"];
        put?: never;
        post?: never;
        /**
         * Delete a file
         * @description Deletes a stored file, which frees its part of the storage quota. A file that a waiting or running job needs is kept.
         */
        delete: operations["deleteFile"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/uploads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List uploads
         * @description Lists uploads that have not expired, newest first.
         */
        get: operations["listUploads"];
        put?: never;
        /**
         * Begin an upload
         * @description Begins an upload that can be resumed, by tus 1.0 with the extensions creation, creation-with-upload, checksum, expiration and termination. Any tus client works. The complete file becomes a stored file, whose key stands for the file in every tool.
         */
        post: operations["beginUpload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enterprise/v1/gis/uploads/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an upload
         * @description Returns the state of an upload: `open`, `stored` with the key of the file, or `refused` by the virus scanner with the reason.
         */
        get: operations["getUpload"];
        put?: never;
        post?: never;
        /**
         * End an upload
         * @description Deletes an upload and what has arrived of it. The file that a complete one became stays stored.
         */
        delete: operations["endUpload"];
        options?: never;
        /**
         * Get the offset of an upload
         * @description Says how many bytes have arrived, in `Upload-Offset`: where to go on.
         */
        head: operations["getUploadOffset"];
        /**
         * Continue an upload
         * @description Appends the body. What arrived of a body that was cut off counts, unless `Upload-Checksum` was sent. With the last byte the file is assembled, scanned and stored; if that takes longer than 10 seconds, the answer has no `X-Stored-Key`, and HEAD returns it later.
         */
        patch: operations["continueUpload"];
        trace?: never;
    };
    "/tool-apis/{id}/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a saved tool (beta)
         * @description Runs the saved tool on the sent input. The tool, its settings and its second input are part of the Tool API. Every call counts as one API request against the daily allowance of the owner, even if the tool fails.
         */
        post: operations["postTool-apisByIdRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tool-apis/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Describe a saved tool (beta)
         * @description Returns the input and the output of the Tool API as JSON Schema, in the structure of OGC API – Processes. The response has no envelope.
         */
        get: operations["getTool-apisById"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/owners/{ownerId}/tool-api-previews": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview a Tool API
         * @description Runs a tool on the sent input with the settings, the binding and the rule that a Tool API would have, without saving anything. It counts as one API request of the owner.
         */
        post: operations["postManageV1OwnersByOwnerIdTool-api-previews"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/tiers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List tiers and plans
         * @description Returns the limits of each enterprise tier and of each plan for people.
         */
        get: operations["getManageV1Tiers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/tiers/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update a tier or plan
         * @description Changes the limits of a tier or plan. They apply at once to every owner that has no limits set for it. A shorter `retentionDays` has the effects that are described for an enterprise.
         */
        patch: operations["patchManageV1TiersByName"];
        trace?: never;
    };
    "/manage/v1/enterprises": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List enterprises
         * @description With a session, those of which the account is a member.
         */
        get: operations["getManageV1Enterprises"];
        put?: never;
        /** Create an enterprise */
        post: operations["postManageV1Enterprises"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/enterprises/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an enterprise
         * @description Returns the enterprise. `limits` contains the effective limits: its own, or those of its tier.
         */
        get: operations["getManageV1EnterprisesById"];
        put?: never;
        post?: never;
        /**
         * Delete an enterprise
         * @description Deletes the enterprise with everything that it owns: members, applications, sensors with their readings, layers, files, runs, uploads and Tool APIs. Readings and files are removed in the background. Entries of the audit log lose their contents.
         */
        delete: operations["deleteManageV1EnterprisesById"];
        options?: never;
        head?: never;
        /**
         * Update an enterprise
         * @description Changes the sent fields. Suspend or reactivate the enterprise with `status`, put its assets product on hold with `assetsHeld`, and set its own limits. A limit of `null` restores the limit of the tier. A shorter retention hides older readings at once: `affectedReadings` is their number. They are deleted after `deletionAt`, unless the retention is longer again by then. A deletion that has begun is completed before a longer retention takes effect.
         */
        patch: operations["patchManageV1EnterprisesById"];
        trace?: never;
    };
    "/manage/v1/enterprises/{id}/belongings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count what an enterprise has
         * @description Returns how much would be lost with the enterprise. `readings` is null if they could not be counted in time.
         */
        get: operations["getManageV1EnterprisesByIdBelongings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/enterprises/{id}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List members of an enterprise */
        get: operations["getManageV1EnterprisesByIdMembers"];
        put?: never;
        /** Add a member */
        post: operations["postManageV1EnterprisesByIdMembers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/members/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a member */
        get: operations["getManageV1MembersById"];
        put?: never;
        post?: never;
        /** Delete a member */
        delete: operations["deleteManageV1MembersById"];
        options?: never;
        head?: never;
        /** Update a member */
        patch: operations["patchManageV1MembersById"];
        trace?: never;
    };
    "/manage/v1/enterprises/{id}/applications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List applications of an enterprise */
        get: operations["getManageV1EnterprisesByIdApplications"];
        put?: never;
        /**
         * Create an application
         * @description Creates an application with a key pair. `tools` lists the process ids that it may run; the default is `all`. `assets` grants sensors and readings to an application that is limited to some tools. The secret key is shown only in this response.
         */
        post: operations["postManageV1EnterprisesByIdApplications"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/applications/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get an application */
        get: operations["getManageV1ApplicationsById"];
        put?: never;
        post?: never;
        /**
         * Delete an application
         * @description Deletes the application and all its key pairs.
         */
        delete: operations["deleteManageV1ApplicationsById"];
        options?: never;
        head?: never;
        /** Update an application */
        patch: operations["patchManageV1ApplicationsById"];
        trace?: never;
    };
    "/manage/v1/applications/{id}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List key pairs of an application
         * @description Secret keys are not returned, only their last four characters.
         */
        get: operations["getManageV1ApplicationsByIdKeys"];
        put?: never;
        /**
         * Add a key pair to an application
         * @description The secret key is shown only in this response. Existing key pairs stay valid until they are revoked or expire.
         */
        post: operations["postManageV1ApplicationsByIdKeys"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/applications/{id}/keys/{keyId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a key pair
         * @description The key pair stops working at once.
         */
        delete: operations["deleteManageV1ApplicationsByIdKeysByKeyId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/applications/{id}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get usage of an application
         * @description Returns its requests and runs by day, and its runs by tool. The range defaults to the last 30 days.
         */
        get: operations["getManageV1ApplicationsByIdUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/people": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List people */
        get: operations["getManageV1People"];
        put?: never;
        /**
         * Create a person
         * @description With `password`, the person can sign in to the portal at once; without it, make a link for the person.
         */
        post: operations["postManageV1People"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/people/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a person */
        get: operations["getManageV1PeopleById"];
        put?: never;
        post?: never;
        /**
         * Delete a person
         * @description Deletes the person with all layers, files, runs and Tool APIs that they own, and the account, unless it has rights elsewhere. Entries of the audit log lose their contents.
         */
        delete: operations["deleteManageV1PeopleById"];
        options?: never;
        head?: never;
        /**
         * Update a person
         * @description Changes the sent fields. Suspend or reactivate the account with `status`. A new `password` ends all sessions of the account.
         */
        patch: operations["patchManageV1PeopleById"];
        trace?: never;
    };
    "/manage/v1/enterprises/{id}/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List pending invitations of an enterprise
         * @description Those that can still be used, newest first.
         */
        get: operations["getManageV1EnterprisesByIdInvitations"];
        put?: never;
        /**
         * Invite a member
         * @description Makes a one-time link, valid for 7 days, with which the person makes an account or joins with the one they have. The link is shown only in this response; `isMailed` says whether it is sent by mail as well.
         */
        post: operations["postManageV1EnterprisesByIdInvitations"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/invitations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an invitation
         * @description The link stops working at once.
         */
        delete: operations["deleteManageV1InvitationsById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/members/{id}/reset-link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a link that resets a member's password
         * @description It is valid for an hour. Its use ends all sessions of the account. The link is shown only in this response; `isMailed` says whether it is sent by mail as well.
         */
        post: operations["postManageV1MembersByIdReset-link"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/people/{id}/links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List pending invitations of a person */
        get: operations["getManageV1PeopleByIdLinks"];
        put?: never;
        /**
         * Make a link for a person
         * @description Without an account: an invitation, valid for 7 days. With an account: a link that resets the password, valid for an hour. The link is shown only in this response; `isMailed` says whether it is sent by mail as well.
         */
        post: operations["postManageV1PeopleByIdLinks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/operators/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List pending invitations of operators */
        get: operations["getManageV1OperatorsInvitations"];
        put?: never;
        /**
         * Invite an operator
         * @description Makes a one-time link, valid for 7 days. The link is shown only in this response; `isMailed` says whether it is sent by mail as well.
         */
        post: operations["postManageV1OperatorsInvitations"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/operators/invitations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revoke an invitation of an operator */
        delete: operations["deleteManageV1OperatorsInvitationsById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/operators": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List operators
         * @description Accounts that operate the server, with the last use of their sessions.
         */
        get: operations["getManageV1Operators"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/operators/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove an operator's role
         * @description The account's sessions lose the right with their next call, on every instance. Operator tokens and links that the account made, and invitations of operators for its address, stop working. Memberships and what the account owns stay. The last operator cannot be removed.
         */
        delete: operations["deleteManageV1OperatorsById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/operators/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List operator tokens
         * @description Without the one in `DATA_DIR/operator.token`, which always works.
         */
        get: operations["getManageV1OperatorsTokens"];
        put?: never;
        /**
         * Create an operator token
         * @description For scripts of one person or one purpose; the audit log names it. It works while the account that made it is an operator. The token is shown only in this response.
         */
        post: operations["postManageV1OperatorsTokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/operators/tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an operator token
         * @description The token and links that were made with it stop working at once.
         */
        delete: operations["deleteManageV1OperatorsTokensById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/owners/{ownerId}/key-reminders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List keys to replace or revoke
         * @description Keys of sensors, applications and Tool APIs that are not revoked, the first to end first, each with its reasons. `expired`: ended in the last 14 days. `expiring`: ends within 14 days. `old`: created more than `olderThanDays` days ago. `unused`: not used for 90 days, as far as use is known.
         */
        get: operations["getManageV1OwnersByOwnerIdKey-reminders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/operators/token-reminders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List operator tokens to replace or revoke
         * @description Tokens that are not revoked, without the one in `DATA_DIR/operator.token`. `expired`: ended in the last 14 days. `expiring`: ends within 14 days. `old`: created more than `olderThanDays` days ago. `unused`: not used for 90 days, as far as use is known.
         */
        get: operations["getManageV1OperatorsToken-reminders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/operator/enterprises": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List enterprises with their figures
         * @description Readings are those accepted on the current UTC day, at most 15 seconds old; stored bytes are added up after a tool ran, and every hour; credits are those of the current month. A cursor belongs to its sort.
         */
        get: operations["getManageV1OperatorEnterprises"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/operator/enterprises/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the figures of an enterprise
         * @description Stored bytes are added up for this answer.
         */
        get: operations["getManageV1OperatorEnterprisesById"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/operator/people": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List people with their Tool APIs and last use */
        get: operations["getManageV1OperatorPeople"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/operator/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the state of every process
         * @description Every server process and job worker that reported in the last 24 hours: its parts with their state and last error, readings in a second, memory and CPU, worker processes, queues and uploads. `openUploads` counts the resumable uploads that are not complete, by owner: how many, their bytes that have arrived, and those of the whole files. `owners` has the names of those whose runs wait or run, or who upload. Processes report every 5 seconds; the one that answers is current.
         */
        get: operations["getManageV1OperatorHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/operator/health/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List changes of state
         * @description Newest first, kept for 31 days: when a part of a process failed and when it worked again. `before` contains the state of each part at the beginning of the period.
         */
        get: operations["getManageV1OperatorHealthEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/operator/health/samples": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List figures of the past
         * @description One sample a minute for 31 days, in steps of whole minutes that give at most `points` points. Over several instances, readings, memory, CPU and the log are added up; of lag, delay and free space the worst one counts.
         */
        get: operations["getManageV1OperatorHealthSamples"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/operator/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List jobs of all enterprises and people
         * @description Newest first.
         */
        get: operations["getManageV1OperatorJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/operator/jobs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Cancel a job
         * @description Its worker process is stopped, and nothing is charged.
         */
        delete: operations["deleteManageV1OperatorJobsById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/enterprises/{id}/sensors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List sensors of an enterprise
         * @description In the order of their ids; only those that match every filter.
         */
        get: operations["getManageV1EnterprisesByIdSensors"];
        put?: never;
        /**
         * Create a sensor
         * @description Creates a sensor with a key. The key is shown only in this response. `assetName` names the asset of the sensor; `name` is by default the same.
         */
        post: operations["postManageV1EnterprisesByIdSensors"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/sensors/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a sensor */
        get: operations["getManageV1SensorsById"];
        put?: never;
        post?: never;
        /**
         * Delete a sensor
         * @description Deletes the sensor, its keys and, in the background, its readings.
         */
        delete: operations["deleteManageV1SensorsById"];
        options?: never;
        head?: never;
        /**
         * Update a sensor
         * @description Changes the sent fields. Switch the sensor on or off with `enabled`, put it on hold with `held`. `channels` replaces the list of channels; values already stored are kept.
         */
        patch: operations["patchManageV1SensorsById"];
        trace?: never;
    };
    "/manage/v1/sensors/{id}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List keys of a sensor
         * @description Keys are not returned, only their last four characters.
         */
        get: operations["getManageV1SensorsByIdKeys"];
        put?: never;
        /**
         * Add a key to a sensor
         * @description The key is shown only in this response. Existing keys stay valid until they are revoked.
         */
        post: operations["postManageV1SensorsByIdKeys"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/sensors/{id}/keys/{keyId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a key of a sensor
         * @description The key stops working at once.
         */
        delete: operations["deleteManageV1SensorsByIdKeysByKeyId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/enterprises/{id}/assets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List assets of an enterprise */
        get: operations["getManageV1EnterprisesByIdAssets"];
        put?: never;
        /** Create an asset */
        post: operations["postManageV1EnterprisesByIdAssets"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/assets/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get an asset */
        get: operations["getManageV1AssetsById"];
        put?: never;
        post?: never;
        /**
         * Delete an asset
         * @description Fails with `CONFLICT` while the asset has sensors.
         */
        delete: operations["deleteManageV1AssetsById"];
        options?: never;
        head?: never;
        /** Rename an asset */
        patch: operations["patchManageV1AssetsById"];
        trace?: never;
    };
    "/manage/v1/sensors/{id}/readings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete readings of a sensor
         * @description Deletes the readings of a period in the background: their values and positions, and what rollups and newest values contain of them. The response is the deletion, whose `status` becomes `done`. The times remain duplicates for the sensor, unless `refill` is true. Events of zone rules stay.
         */
        delete: operations["deleteManageV1SensorsByIdReadings"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/sensors/{id}/deletions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List deletions of readings of a sensor
         * @description Newest first.
         */
        get: operations["getManageV1SensorsByIdDeletions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/sensors/{id}/deletions/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Preview a deletion of readings of a sensor
         * @description Counts the readings that a deletion with the same parameters would find now. Readings that arrived within the last seconds may be missing. `readings` is null if they could not be counted in time.
         */
        get: operations["getManageV1SensorsByIdDeletionsPreview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/sensors/{id}/deletions/{deletionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a deletion of readings of a sensor */
        get: operations["getManageV1SensorsByIdDeletionsByDeletionId"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/owners/{ownerId}/layers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List map layers of an owner
         * @description Returns the layers with how many zone rules and Tool APIs use them.
         */
        get: operations["getManageV1OwnersByOwnerIdLayers"];
        put?: never;
        /**
         * Create a map layer
         * @description Creates a layer from GeoJSON. Coordinates are converted to WGS 84. Features without an id get one.
         */
        post: operations["postManageV1OwnersByOwnerIdLayers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/owners/{ownerId}/layers/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a map layer
         * @description Returns the layer without its features.
         */
        get: operations["getManageV1OwnersByOwnerIdLayersById"];
        put?: never;
        post?: never;
        /** Delete a map layer */
        delete: operations["deleteManageV1OwnersByOwnerIdLayersById"];
        options?: never;
        head?: never;
        /**
         * Update a map layer
         * @description Renames the layer or transfers it to another owner.
         */
        patch: operations["patchManageV1OwnersByOwnerIdLayersById"];
        trace?: never;
    };
    "/manage/v1/owners/{ownerId}/layers/{id}/uses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what uses a map layer
         * @description Returns the zone rules and Tool APIs that use the layer, at most 100.
         */
        get: operations["getManageV1OwnersByOwnerIdLayersByIdUses"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/owners/{ownerId}/layers/{id}/features": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List features of a map layer
         * @description Returns GeoJSON Features in the order of the layer.
         */
        get: operations["getManageV1OwnersByOwnerIdLayersByIdFeatures"];
        /**
         * Replace the features of a map layer
         * @description Replaces all features of the layer with those sent.
         */
        put: operations["putManageV1OwnersByOwnerIdLayersByIdFeatures"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change features of a map layer
         * @description Adds features, replaces features that have the same id, and deletes features. All changes take effect together and make one version.
         */
        patch: operations["patchManageV1OwnersByOwnerIdLayersByIdFeatures"];
        trace?: never;
    };
    "/manage/v1/owners/{ownerId}/layers/{id}/features/{featureId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a feature */
        get: operations["getManageV1OwnersByOwnerIdLayersByIdFeaturesByFeatureId"];
        /**
         * Create or replace a feature
         * @description Adds the feature under the id in the path, or replaces the feature that has this id.
         */
        put: operations["putManageV1OwnersByOwnerIdLayersByIdFeaturesByFeatureId"];
        post?: never;
        /** Delete a feature */
        delete: operations["deleteManageV1OwnersByOwnerIdLayersByIdFeaturesByFeatureId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/owners/{ownerId}/layers/from-file": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a map layer from a stored file
         * @description Creates a layer from a GeoJSON file that is stored already, for example what `/validate-convert` made of another format. Coordinates are converted to WGS 84. The file stays.
         */
        post: operations["postManageV1OwnersByOwnerIdLayersFrom-file"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/owners/{ownerId}/layers/{id}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List versions of a map layer
         * @description Returns the versions that are kept, newest first, with who made them and how many features they added, changed and removed. At most 100 versions are kept, and at most 256 MB of what they replaced; the oldest are forgotten first.
         */
        get: operations["getManageV1OwnersByOwnerIdLayersByIdVersions"];
        put?: never;
        post?: never;
        /**
         * Delete earlier versions of a map layer
         * @description Keeps the current version only, which frees storage.
         */
        delete: operations["deleteManageV1OwnersByOwnerIdLayersByIdVersions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/owners/{ownerId}/layers/{id}/versions/compare": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Compare two versions of a map layer
         * @description Returns the features that were added, changed or removed between two versions, ordered by id, each with its state before and after and the attributes that differ.
         */
        get: operations["getManageV1OwnersByOwnerIdLayersByIdVersionsCompare"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/owners/{ownerId}/layers/{id}/versions/{version}/features": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List features of a version of a map layer
         * @description Returns GeoJSON Features as they were in that version, in the order that they had. With `Accept: application/geo+json-seq` it streams all of them as a GeoJSON text sequence (RFC 8142), without pages.
         */
        get: operations["getManageV1OwnersByOwnerIdLayersByIdVersionsByVersionFeatures"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/owners/{ownerId}/layers/{id}/versions/{version}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Bring back a version of a map layer
         * @description Makes a new version with the features of an earlier one. The versions between them stay.
         */
        post: operations["postManageV1OwnersByOwnerIdLayersByIdVersionsByVersionRestore"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/owners/{ownerId}/layers/{id}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a map layer
         * @description Returns the current version as a file in a vector format. `HEAD` makes the file as well, and a `GET` by the same caller within a minute sends it. `X-Warnings` is a percent-encoded JSON list of what the format could not hold.
         */
        get: operations["getManageV1OwnersByOwnerIdLayersByIdExport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/owners/{ownerId}/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List files of an owner
         * @description Returns the files with how many Tool APIs use them.
         */
        get: operations["getManageV1OwnersByOwnerIdFiles"];
        put?: never;
        /**
         * Upload a file
         * @description Stores the file with its first version and scans it. If the scan takes longer than 10 seconds, `scanStatus` is `pending` and the scan continues.
         */
        post: operations["postManageV1OwnersByOwnerIdFiles"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/owners/{ownerId}/files/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a file
         * @description Returns the file with its versions, newest first.
         */
        get: operations["getManageV1OwnersByOwnerIdFilesById"];
        put?: never;
        post?: never;
        /**
         * Delete a file
         * @description Deletes the file with all its versions.
         */
        delete: operations["deleteManageV1OwnersByOwnerIdFilesById"];
        options?: never;
        head?: never;
        /**
         * Update a file
         * @description Renames the file, transfers it to another owner, or overrides the scan status of its newest version.
         */
        patch: operations["patchManageV1OwnersByOwnerIdFilesById"];
        trace?: never;
    };
    "/manage/v1/owners/{ownerId}/files/{id}/uses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what uses a file
         * @description Returns the Tool APIs that use the file, at most 100.
         */
        get: operations["getManageV1OwnersByOwnerIdFilesByIdUses"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/owners/{ownerId}/files/{id}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List versions of a file
         * @description Returns the versions, newest first.
         */
        get: operations["getManageV1OwnersByOwnerIdFilesByIdVersions"];
        put?: never;
        /**
         * Upload a new version of a file
         * @description Stores and scans a new version. If the scan takes longer than 10 seconds, `scanStatus` is `pending` and the scan continues.
         */
        post: operations["postManageV1OwnersByOwnerIdFilesByIdVersions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/owners/{ownerId}/files/{id}/versions/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a version of a file */
        get: operations["getManageV1OwnersByOwnerIdFilesByIdVersionsByVersion"];
        put?: never;
        post?: never;
        /**
         * Delete a version of a file
         * @description Refused with `CONFLICT` while a Tool API is bound to this version.
         */
        delete: operations["deleteManageV1OwnersByOwnerIdFilesByIdVersionsByVersion"];
        options?: never;
        head?: never;
        /**
         * Update a version of a file
         * @description Overrides the scan status of the version.
         */
        patch: operations["patchManageV1OwnersByOwnerIdFilesByIdVersionsByVersion"];
        trace?: never;
    };
    "/manage/v1/owners/{ownerId}/files/{id}/versions/{version}/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a version of a file
         * @description Returns the content of a version whose scan status is `clean`. Supports `Range` and `If-None-Match`.
         */
        get: operations["getManageV1OwnersByOwnerIdFilesByIdVersionsByVersionContent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/owners/{ownerId}/exports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List exports of an owner
         * @description Newest first.
         */
        get: operations["getManageV1OwnersByOwnerIdExports"];
        put?: never;
        /**
         * Export everything of an enterprise or a person
         * @description Makes a ZIP in the background with all records, files and readings, and a README that explains them. One export is made at a time, and three in 24 hours; otherwise `EXPORTS_LIMITED`. Keys, passwords and their hashes are not included.
         */
        post: operations["postManageV1OwnersByOwnerIdExports"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/owners/{ownerId}/exports/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an export
         * @description `partsDone` of `parts` have been written: tables, files and sensors. `status` becomes `done`, or `failed` after three attempts. The archive is deleted at `expiresAt`.
         */
        get: operations["getManageV1OwnersByOwnerIdExportsById"];
        put?: never;
        post?: never;
        /**
         * Delete an export
         * @description Ends an export that is being made, or deletes its archive.
         */
        delete: operations["deleteManageV1OwnersByOwnerIdExportsById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/owners/{ownerId}/exports/{id}/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download an export
         * @description Returns the ZIP. Supports `Range`, so that a download can go on.
         */
        get: operations["getManageV1OwnersByOwnerIdExportsByIdContent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/tool-api-tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List tools for Tool APIs
         * @description Lists the tools that can be saved as a Tool API, with the JSON Schema of their settings and their second input.
         */
        get: operations["getManageV1Tool-api-tools"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/owners/{ownerId}/tool-apis": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Tool APIs of an owner
         * @description In the order of their ids. With `q`, `state`, `tool`, `sort`, `order` or `offset`, the answer also has `total`, how many match, `states`, how many of the owner's are in each state, and `tools`, the tools that are saved. `activity` contains the state of calls (`on`, `off`, `held` or `refused`), the code that the next call would get, the name of the bound item, the calls of today (UTC) and the time of the last call.
         */
        get: operations["getManageV1OwnersByOwnerIdTool-apis"];
        put?: never;
        /**
         * Create a Tool API
         * @description Saves a tool with its settings, and its second input bound to a layer or file of the owner. The key is shown only in this response.
         */
        post: operations["postManageV1OwnersByOwnerIdTool-apis"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/tool-apis/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a Tool API
         * @description `activity` contains the state of calls (`on`, `off`, `held` or `refused`), the code that the next call would get, the name of the bound item, the calls of today (UTC) and the time of the last call.
         */
        get: operations["getManageV1Tool-apisById"];
        put?: never;
        post?: never;
        /**
         * Delete a Tool API
         * @description Deletes the Tool API and its keys.
         */
        delete: operations["deleteManageV1Tool-apisById"];
        options?: never;
        head?: never;
        /**
         * Update a Tool API
         * @description Changes the sent fields. Switch the Tool API on or off with `enabled`, put it on hold with `held`.
         */
        patch: operations["patchManageV1Tool-apisById"];
        trace?: never;
    };
    "/manage/v1/tool-apis/{id}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List keys of a Tool API
         * @description Keys are not returned, only their last four characters.
         */
        get: operations["getManageV1Tool-apisByIdKeys"];
        put?: never;
        /**
         * Add a key to a Tool API
         * @description The key is shown only in this response. Existing keys stay valid until they are revoked.
         */
        post: operations["postManageV1Tool-apisByIdKeys"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/tool-apis/{id}/keys/{keyId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a key of a Tool API
         * @description The key stops working at once.
         */
        delete: operations["deleteManageV1Tool-apisByIdKeysByKeyId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/owners/{ownerId}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get API usage of an owner
         * @description Returns what is used now of each allowance (API requests and readings of the day, credits of the month, stored bytes), and the calls, failures and durations of the owner's Tool APIs by day. The range defaults to the last 30 days.
         */
        get: operations["getManageV1OwnersByOwnerIdUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/tool-apis/{id}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get usage of a Tool API
         * @description Returns calls, failures and durations by day. The range defaults to the last 30 days.
         */
        get: operations["getManageV1Tool-apisByIdUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/tool-apis/{id}/statistics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get statistics of a Tool API
         * @description Returns calls, results, refusals by code, failures, features in results and durations for every step from `from` until before `to`, also without calls, and the newest refusal of each code. Durations are those of calls with a result. Steps begin at whole hours or days (UTC). Hours are kept for 48 hours, days for 90 days; the default is the last 48 hours or the last 30 days.
         */
        get: operations["getManageV1Tool-apisByIdStatistics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/owners/{ownerId}/usage/daily": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get daily usage of an owner
         * @description Returns runs, credits, counted API requests and readings of every day (UTC), at most 400 days; and the same runs by tool or by application, those that used most first, the first six of them day by day (`daily`). A group without `id` is what accounts did in the portal. `readings` is null for people and for days of before they were counted. `months` has the credits of the newest calendar months. The range defaults to the last 30 days.
         */
        get: operations["getManageV1OwnersByOwnerIdUsageDaily"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List changes
         * @description Returns the audit log, newest first: who changed which record, when, and its state before and after; only what matches every filter. With a session, `owner` is required.
         */
        get: operations["getManageV1Audit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/audit/actors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List who acted
         * @description Returns everybody and every application that the audit log of an owner names, at most 1,000.
         */
        get: operations["getManageV1AuditActors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/audit/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export changes
         * @description Streams the audit log, newest first, as CSV or JSON Lines; only what matches every filter. In CSV, text that a spreadsheet would run has an apostrophe before it, unless `escapeFormulas=false` asks for it as it is. Every export is in the audit log itself.
         */
        get: operations["getManageV1AuditExport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/v1/tool-apis/{id}/try": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try a Tool API
         * @description Runs the Tool API on the sent input, as `POST /tool-apis/{id}/run` does, without a key. The call counts against the calls per minute and the daily allowance of the owner; statistics count it under `trials`.
         */
        post: operations["postManageV1Tool-apisByIdTry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/reset-links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Have a link sent that resets the password
         * @description The answer is the same whether or not the address has an account. The link is valid for an hour. `MAIL_UNAVAILABLE` without `SMTP_URL`.
         */
        post: operations["postAuthReset-links"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/sign-up": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Have a link sent that creates an account
         * @description Only with `SIGN_UP=open`. The answer is the same whether or not the address has an account. The link is valid for a day; the account is that of a person on the plan free.
         */
        post: operations["postAuthSign-up"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/oidc": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sign in with OpenID Connect
         * @description Redirects to the issuer, and then to the page `next`.
         */
        get: operations["getAuthOidc"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the session
         * @description Returns the account that is signed in with its roles, or `account: null`, and the ways to sign in. `csrfToken` must be sent as `X-CSRF-Token` with every change.
         */
        get: operations["getAuthSession"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in
         * @description Starts a session and sets its cookie, which lasts for 30 days after its use.
         */
        post: operations["postAuthSign-in"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/sign-out": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sign out */
        post: operations["postAuthSign-out"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/sign-out-everywhere": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign out everywhere
         * @description Ends all sessions of the account, at once.
         */
        post: operations["postAuthSign-out-everywhere"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List own sessions
         * @description Where the account is signed in, most recently used first.
         */
        get: operations["getAuthSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** End a session */
        delete: operations["deleteAuthSessionsById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/account": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the account
         * @description Changes the name, and how the portal looks for this account on every device; preferences that are not sent stay.
         */
        patch: operations["patchAuthAccount"];
        trace?: never;
    };
    "/auth/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change the password
         * @description Ends all other sessions, and gives this one a new cookie.
         */
        post: operations["postAuthPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/links/open": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** See what a one-time link is for */
        post: operations["postAuthLinksOpen"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/links/use": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Use a one-time link
         * @description Accepts an invitation with a new account (`name`, `password`) or with the one that is signed in (`asSignedIn`), or sets the password that a reset link is for. Starts a session. A link works once.
         */
        post: operations["postAuthLinksUse"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check liveness
         * @description Returns 200 while the process runs. Stores are not checked.
         */
        get: operations["getHealthLive"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check readiness
         * @description Returns 200 when every part works: stores, worker processes and ingestion. Otherwise returns 503 with the code `NOT_READY`. `data.parts` lists each part with its status, `ok` or `failing`, and the duration of its check.
         */
        get: operations["getHealthReady"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Envelope: {
            ok: boolean;
            statusCode: number;
            code: string;
            message: string;
            path: string;
            method: string;
            /** Format: date-time */
            timestamp: string;
            requestId: string;
        };
        Failure: components["schemas"]["Envelope"] & {
            /** @constant */
            ok: false;
            errors?: {
                field: string;
                rule: string;
                message: string;
            }[];
        };
        ProcessSummary: {
            id: string;
            title: string;
            description: string;
            version: string;
            keywords: string[];
            jobControlOptions: ("sync-execute" | "async-execute")[];
            outputTransmission: "value"[];
            svc: {
                [key: string]: unknown;
            };
            links: components["schemas"]["Link"][];
        };
        ProcessList: {
            processes: components["schemas"]["ProcessSummary"][];
            links: components["schemas"]["Link"][];
        };
        Process: {
            id: string;
            title: string;
            description: string;
            version: string;
            keywords: string[];
            jobControlOptions: ("sync-execute" | "async-execute")[];
            outputTransmission: "value"[];
            svc: {
                [key: string]: unknown;
            };
            links: components["schemas"]["Link"][];
            inputs: {
                [key: string]: unknown;
            };
            outputs: {
                [key: string]: unknown;
            };
        };
        StoredKey: {
            id: string;
            name: string;
            lastFour: string;
            /** Format: date-time */
            createdAt: string;
            expiresAt: string | null;
            lastUsedAt: string | null;
            revokedAt: string | null;
        };
        Upload: {
            id: string;
            filename: string;
            bytes: number;
            receivedBytes: number;
            /** @enum {string} */
            state: "open" | "stored" | "refused";
            reason: string | null;
            key: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            expiresAt: string;
        };
        Link: {
            rel: string;
            href: string;
            type: string;
        };
        Usage: {
            channel: string;
            requestId: string;
            runId: string;
            creditsCharged: number;
            creditsRemaining: number;
            inputBytes: number;
            outputBytes: number;
            totalBytes: number;
            /** Format: date-time */
            periodStartAt: string;
            /** Format: date-time */
            periodEndAt: string;
        };
        Job: {
            jobID: string;
            processID: string;
            runId: string | null;
            /** @constant */
            type: "process";
            /** @enum {string} */
            status: "accepted" | "running" | "successful" | "failed" | "dismissed";
            progress: number;
            message: string;
            /** Format: date-time */
            created: string;
            started: string | null;
            finished: string | null;
            /** Format: date-time */
            updated: string;
            links: components["schemas"]["Link"][];
        };
        RunFolder: {
            name: string;
            runs: number;
        };
        RunDetail: {
            runId: string | null;
            processID: string;
            version: string;
            name: string | null;
            folder: string | null;
            memberId: string | null;
            memberEmail: string | null;
            applicationId: string | null;
            applicationName: string | null;
            requestId: string | null;
            jobId: string | null;
            /** @enum {string} */
            status: "accepted" | "running" | "successful" | "failed" | "dismissed";
            code: string | null;
            settings: {
                [key: string]: unknown;
            };
            creditsCharged: number;
            inputBytes: number;
            outputBytes: number;
            durationMs: number | null;
            /** Format: date-time */
            startedAt: string;
            finishedAt: string | null;
            inputs: {
                key: string;
                role: string;
                filename: string;
                mediaType: string;
                bytes: number;
                field: string | null;
                storageKey?: string;
                expiresAt: string | null;
            }[];
            artifacts: {
                key: string;
                role: string;
                filename: string;
                mediaType: string;
                bytes: number;
                artifactId: string;
                crs: string | null;
                expiresAt: string | null;
            }[];
            hasResult: boolean;
            isDismissed: boolean;
        };
        ListedRun: {
            runId: string | null;
            processID: string;
            version: string;
            name: string | null;
            folder: string | null;
            memberId: string | null;
            memberEmail: string | null;
            applicationId: string | null;
            applicationName: string | null;
            requestId: string | null;
            jobId: string | null;
            /** @enum {string} */
            status: "accepted" | "running" | "successful" | "failed" | "dismissed";
            code: string | null;
            settings: {
                [key: string]: unknown;
            };
            creditsCharged: number;
            inputBytes: number;
            outputBytes: number;
            durationMs: number | null;
            /** Format: date-time */
            startedAt: string;
            finishedAt: string | null;
            inputs: {
                key: string;
                role: string;
                filename: string;
                mediaType: string;
                bytes: number;
                field: string | null;
                storageKey?: string;
                expiresAt: string | null;
            }[];
            artifacts: {
                key: string;
                role: string;
                filename: string;
                mediaType: string;
                bytes: number;
                artifactId: string;
                crs: string | null;
                expiresAt: string | null;
            }[];
            isDismissed: boolean;
            progress: number;
        };
        AssetSensor: {
            id: string;
            name: string;
            assetId: string;
            assetName: string;
            tags: string[];
            enabled: boolean;
            held: boolean;
            channels: {
                name: string;
                /** @enum {string} */
                measurement: "number" | "whole" | "boolean";
                unit: string | null;
            }[];
        };
        FleetSensor: {
            id: string;
            name: string;
            assetId: string;
            assetName: string;
            tags: string[];
            enabled: boolean;
            held: boolean;
            channels: {
                name: string;
                /** @enum {string} */
                measurement: "number" | "whole" | "boolean";
                unit: string | null;
            }[];
            /** @enum {string} */
            state?: "refused" | "silent" | "late" | "new" | "held" | "off" | "sending";
            lastAt?: string | null;
            intervalMs?: number | null;
            latest?: {
                channel: string;
                unit: string | null;
                value: (number | boolean) | null;
                at: string | null;
            }[];
            sparkline?: {
                channel: string;
                /** Format: date-time */
                from: string;
                stepMs: number;
                values: (number | null)[];
            } | null;
            refused?: number;
        };
        StateCounts: {
            refused: number;
            silent: number;
            late: number;
            new: number;
            held: number;
            off: number;
            sending: number;
        };
        Reading: {
            /** Format: date-time */
            at: string;
            values: {
                [key: string]: number | boolean;
            };
            location?: number[];
        };
        Latest: {
            at: string | null;
            values: {
                [key: string]: {
                    value: number | boolean;
                    /** Format: date-time */
                    at: string;
                };
            };
            location: number[] | null;
        };
        SeriesResult: {
            step: string;
            /** @enum {string} */
            resolution: "raw" | "minute" | "hour" | "day";
            series: {
                sensorId: string;
                channel: string;
                agg: string;
                points: [
                    string,
                    number | ("Infinity" | "-Infinity" | "NaN") | null
                ][];
            }[];
        };
        ZoneRule: {
            id: string;
            name: string;
            layerId: string;
            /** @enum {string} */
            when: "enter" | "leave" | "inside" | "outside";
            sensorIds: "all" | string[];
            enabled: boolean;
            layerUsable: boolean;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        Crs: {
            code: number;
            name: string;
            /** @enum {string} */
            kind: "projected" | "geographic";
            area: string | null;
            bbox: number[] | null;
        };
        ZoneEvent: {
            id: string;
            ruleId: string;
            when: string;
            sensorId: string | null;
            assetId: string | null;
            assetName: string | null;
            /** Format: date-time */
            at: string;
            location: number[];
            layerId: string;
            layerVersion: number;
            featureIds: string[];
            /** Format: date-time */
            detectedAt: string;
        };
        NamedZoneEvent: {
            id: string;
            ruleId: string;
            when: string;
            sensorId: string | null;
            assetId: string | null;
            assetName: string | null;
            /** Format: date-time */
            at: string;
            location: number[];
            layerId: string;
            layerVersion: number;
            featureIds: string[];
            /** Format: date-time */
            detectedAt: string;
            ruleName: string | null;
            sensorName: string | null;
            layerName: string | null;
        };
        Tier: {
            name: string;
            /** @enum {string} */
            kind: "enterprise" | "person";
            apiRequestsPerDay: number | null;
            readingsPerDay: number | null;
            retentionDays: number | null;
            creditsPerMonth: number | null;
            toolApis: boolean;
        };
        ReadingDeletion: {
            id: string;
            sensorId: string;
            /** Format: date-time */
            from: string;
            /** Format: date-time */
            to: string;
            channel: string | null;
            refill: boolean;
            channels: string[] | null;
            /** @enum {string} */
            status: "waiting" | "running" | "done";
            readings: number | null;
            /** Format: date-time */
            createdAt: string;
            finishedAt: string | null;
        };
        DataExport: {
            id: string;
            ownerId: string;
            /** @enum {string} */
            status: "waiting" | "running" | "done" | "failed";
            parts: number | null;
            partsDone: number;
            bytes: number | null;
            /** Format: date-time */
            createdAt: string;
            finishedAt: string | null;
            /** Format: date-time */
            expiresAt: string;
        };
        Enterprise: {
            id: string;
            number: number;
            name: string;
            tier: string;
            /** @enum {string} */
            status: "active" | "suspended";
            assetsHeld: boolean;
            heldReason: string | null;
            retentionDays: number | null;
            readingsPerDay: number | null;
            apiRequestsPerDay: number | null;
            credits: number | null;
            storedMb: number | null;
            storedDays: number | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        Member: {
            id: string;
            enterpriseId: string;
            email: string;
            /** @enum {string} */
            role: "owner" | "admin" | "member";
            accountId: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        Person: {
            id: string;
            email: string;
            plan: string;
            /** @enum {string} */
            status: "active" | "suspended";
            storedDays: number | null;
            accountId: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        OneTimeLink: {
            id: string;
            /** @enum {string} */
            kind: "operator" | "invitation" | "person" | "sign-up" | "reset";
            email: string | null;
            role: ("owner" | "admin" | "member") | null;
            createdBy: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            expiresAt: string;
        };
        ApplicationKey: {
            id: string;
            name: string;
            lastFour: string;
            /** Format: date-time */
            createdAt: string;
            expiresAt: string | null;
            lastUsedAt: string | null;
            revokedAt: string | null;
        } & {
            publicKey: string;
        };
        Application: {
            id: string;
            enterpriseId: string;
            name: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            tools: "all" | string[];
            assets: boolean | null;
            keys: components["schemas"]["ApplicationKey"][];
        };
        Asset: {
            id: string;
            enterpriseId: string;
            name: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        Sensor: {
            id: string;
            number: number;
            enterpriseId: string;
            name: string;
            assetId: string;
            assetName: string;
            tags: string[];
            enabled: boolean;
            held: boolean;
            heldReason: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            channels: {
                number: number;
                name: string;
                unit: string | null;
                active: boolean;
                /** @enum {string} */
                measurement: "number" | "whole" | "boolean";
            }[];
            keys: components["schemas"]["StoredKey"][];
        };
        Layer: {
            id: string;
            enterpriseId: string | null;
            personId: string | null;
            ownerId: string;
            name: string;
            version: number;
            featureCount: number;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            dimensions: number[];
            fields: string[];
            changedBy: string | null;
            bytes: number;
            historyBytes: number;
        };
        LayerVersion: {
            version: number;
            actor: string | null;
            /** Format: date-time */
            createdAt: string;
            featureCount: number;
            fields: string[];
            added: number | null;
            changed: number | null;
            removed: number | null;
            restored: number | null;
        };
        Use: {
            /** @enum {string} */
            kind: "zone-rule" | "tool-api";
            id: string;
            name: string;
            enabled: boolean;
            version: number | null;
        };
        FeatureDifference: {
            featureId: string;
            /** @enum {string} */
            change: "added" | "changed" | "removed";
            geometryChanged: boolean;
            attributes: {
                name: string;
                before?: unknown;
                after?: unknown;
            }[];
            before: components["schemas"]["Feature"] | null;
            after: components["schemas"]["Feature"] | null;
        };
        Feature: {
            /** @constant */
            type: "Feature";
            id: string;
            properties: {
                [key: string]: unknown;
            } | null;
            geometry: {
                [key: string]: unknown;
            } | null;
        };
        FileVersion: {
            id: string;
            fileId: string;
            version: number;
            filename: string;
            bytes: number;
            kind: string | null;
            /** @enum {string} */
            scanStatus: "pending" | "clean" | "infected" | "failed";
            scanReason: string | null;
            scannedAt: string | null;
            /** Format: date-time */
            createdAt: string;
        };
        File: {
            id: string;
            enterpriseId: string | null;
            personId: string | null;
            ownerId: string;
            name: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            version: number | null;
            kind: string | null;
            bytes: number | null;
            scanStatus: ("pending" | "clean" | "infected" | "failed") | null;
            scanReason: string | null;
            versions: components["schemas"]["FileVersion"][];
        };
        ToolApi: {
            id: string;
            enterpriseId: string | null;
            personId: string | null;
            ownerId: string;
            name: string;
            tool: string;
            path: string;
            settings: {
                [key: string]: unknown;
            };
            binding: {
                /** @enum {string} */
                kind: "layer" | "file" | "file-version";
                id: string;
                version?: number;
            } | null;
            rule: {
                /** @enum {string} */
                kind: "inside" | "partly" | "percent";
                percent?: number;
            } | null;
            referenceFields: string[] | null;
            enabled: boolean;
            held: boolean;
            heldReason: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            keys: components["schemas"]["StoredKey"][];
        };
        ToolApiCounts: {
            calls: number;
            results: number;
            refused: number;
            failed: number;
            features: number;
            trials: number;
            codes: {
                [key: string]: number;
            };
            latency: {
                p50Ms: number;
                p95Ms: number;
                maxMs: number;
            } | null;
        };
        ToolApiWithActivity: components["schemas"]["ToolApi"] & {
            activity: {
                /** @enum {string} */
                state: "on" | "off" | "held" | "refused";
                reason: string | null;
                boundName: string | null;
                lastCallAt: string | null;
                today: components["schemas"]["ToolApiCounts"];
            };
        };
        AuditRecord: {
            id: string;
            /** Format: date-time */
            at: string;
            actor: string;
            actorName: string | null;
            /** @enum {string} */
            action: "create" | "update" | "delete" | "revoke" | "refuse" | "download" | "view" | "upload" | "sign-in" | "sign-out" | "use" | "read-again";
            subjectKind: string;
            subjectId: string;
            subjectName: string | null;
            ownerId: string | null;
            before: {
                [key: string]: unknown;
            } | null;
            after: {
                [key: string]: unknown;
            } | null;
        };
        ListedEnterprise: {
            id: string;
            name: string;
            tier: string;
            /** @enum {string} */
            status: "active" | "suspended";
            assetsHeld: boolean;
            heldReason: string | null;
            /** Format: date-time */
            createdAt: string;
            sensors: number;
            readingsToday: number;
            readingsPerDay: number | null;
            storedBytes: number;
            storedMb: number | null;
            creditsUsed: number;
            creditsPerMonth: number | null;
            lastActiveAt: string | null;
        };
        ListedPerson: {
            id: string;
            email: string;
            plan: string;
            /** @enum {string} */
            status: "active" | "suspended";
            accountId: string | null;
            /** Format: date-time */
            createdAt: string;
            toolApis: number;
            toolApisHeld: number;
            lastSignInAt: string | null;
        };
        Operator: {
            id: string;
            email: string;
            name: string;
            /** Format: date-time */
            createdAt: string;
            lastUsedAt: string | null;
        };
        KeyReminder: {
            /** @enum {string} */
            kind: "sensor-key" | "application-key" | "tool-api-key" | "operator-token";
            id: string;
            name: string;
            lastFour: string;
            holderId: string | null;
            holderName: string | null;
            /** Format: date-time */
            createdAt: string;
            expiresAt: string | null;
            lastUsedAt: string | null;
            reasons: ("expired" | "expiring" | "old" | "unused")[];
        };
        OperatorToken: {
            id: string;
            name: string;
            lastFour: string;
            createdBy: string;
            /** Format: date-time */
            createdAt: string;
            expiresAt: string | null;
            lastUsedAt: string | null;
            revokedAt: string | null;
        };
        HealthPart: {
            part: string;
            /** @enum {string} */
            state: "ok" | "degraded" | "failing" | "stopped";
            /** Format: date-time */
            since: string;
            detail: string | null;
            durationMs: number;
            lastError: {
                /** Format: date-time */
                at: string;
                text: string;
            } | null;
        };
        WorkerProcess: {
            pid: number;
            /** @enum {string} */
            state: "starting" | "idle" | "running" | "ending";
            isReserved: boolean;
            tool: string | null;
            tenant: string | null;
            runningMs: number | null;
            bytes: number;
            runs: number;
        };
        Lane: {
            lane: string;
            isAvailable: boolean;
            reason: string | null;
            workers: number;
            waiting: number;
            background: number;
            processes: components["schemas"]["WorkerProcess"][];
            tenants: {
                tenant: string;
                running: number;
                waiting: number;
                background: number;
            }[];
        };
        InstanceState: {
            id: string;
            name: string;
            version: string;
            /** @enum {string} */
            status: "running" | "silent" | "stopped";
            /** Format: date-time */
            startedAt: string;
            /** Format: date-time */
            reportedAt: string;
            stoppedAt: string | null;
            report: {
                parts: components["schemas"]["HealthPart"][];
                figures: {
                    readingsPerSecond: {
                        accepted: number;
                        duplicates: number;
                        refused: number;
                    };
                    serverBytes: number;
                    serverCpu: number;
                    workersBytes: number;
                    workersCpu: number;
                    cores: number;
                    loopDelayMs: number;
                    diskFreeBytes: number;
                    diskTotalBytes: number;
                };
                ingest: {
                    takesMore: boolean;
                    /** @enum {string} */
                    loading: "ok" | "failing";
                    bytesWaiting: number;
                    segmentsWaiting: number;
                    segmentsChecked: number;
                    sensorsInMemory: number;
                    lagSeconds: number;
                } | null;
                lanes: components["schemas"]["Lane"][];
                uploads: {
                    path: string;
                    caller: string;
                    bytes: number;
                    /** Format: date-time */
                    startedAt: string;
                }[];
            };
        };
        HealthEvent: {
            id: number;
            instanceId: string;
            part: string;
            /** @enum {string} */
            state: "ok" | "degraded" | "failing" | "stopped";
            detail: string | null;
            /** Format: date-time */
            at: string;
        };
        HealthSample: {
            /** Format: date-time */
            at: string;
            accepted: {
                avg: number;
                min: number;
                max: number;
            };
            duplicates: {
                avg: number;
                min: number;
                max: number;
            };
            refused: {
                avg: number;
                min: number;
                max: number;
            };
            lagSeconds: {
                avg: number;
                min: number;
                max: number;
            };
            segments: {
                avg: number;
                min: number;
                max: number;
            };
            logBytes: {
                avg: number;
                min: number;
                max: number;
            };
            loopDelayMs: {
                avg: number;
                min: number;
                max: number;
            };
            serverBytes: {
                avg: number;
                min: number;
                max: number;
            };
            serverCpu: {
                avg: number;
                min: number;
                max: number;
            };
            workersBytes: {
                avg: number;
                min: number;
                max: number;
            };
            workersCpu: {
                avg: number;
                min: number;
                max: number;
            };
            diskFreeBytes: {
                avg: number;
                min: number;
                max: number;
            };
        };
        ListedJob: {
            id: string;
            toolId: string;
            /** @enum {string} */
            status: "accepted" | "running" | "successful" | "failed" | "dismissed";
            progress: number;
            attempts: number;
            ownerId: string;
            ownerName: string | null;
            instanceId: string | null;
            /** Format: date-time */
            createdAt: string;
            startedAt: string | null;
            finishedAt: string | null;
        };
        Preferences: {
            /** @enum {string} */
            language?: "en" | "ar";
            /** @enum {string} */
            theme?: "auto" | "light" | "dark";
            /** @enum {string} */
            digits?: "latn" | "arab";
            /** @enum {string} */
            zone?: "local" | "utc";
        };
        PortalSession: {
            account: {
                id: string;
                email: string;
                name: string;
                preferences: components["schemas"]["Preferences"];
            } | null;
            isOperator: boolean;
            personId: string | null;
            memberships: {
                enterpriseId: string;
                enterpriseName: string;
                /** @enum {string} */
                enterpriseStatus: "active" | "suspended";
                memberId: string;
                /** @enum {string} */
                role: "owner" | "admin" | "member";
            }[];
            csrfToken: string | null;
            oidc: boolean;
            /** @enum {string} */
            signUp: "open" | "closed";
            mail: boolean;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    postSensorsByIdReadings: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    readings: {
                        /**
                         * Format: date-time
                         * @description Time of the reading by the sensor's clock, at most 10 minutes in the future: an RFC 3339 date-time with seconds and an offset, stored to the millisecond.
                         */
                        at: string;
                        /** @description Value for each channel name, of the type of the channel's measurement. Required when there is no location. */
                        values?: {
                            [key: string]: number | boolean;
                        };
                        /** @description `[longitude, latitude]` in degrees (WGS 84), within ±180 and ±90. */
                        location?: number[];
                    }[];
                };
            };
        };
        responses: {
            /** @description `SENSOR_READINGS_RESULT`: the outcome of each reading */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @constant */
                        statusCode: 200;
                        /** @constant */
                        code: "SENSOR_READINGS_RESULT";
                        message: string;
                        messageAr: string;
                        data: {
                            /** @description Times of the readings that are now stored durably. */
                            accepted: string[];
                            /** @description Times of readings that were already stored. */
                            duplicates: string[];
                            refused: {
                                /** @description The time as sent. */
                                at: string | number | boolean | null;
                                reason: "SENSOR_READING_AT_INVALID" | "SENSOR_READING_IN_FUTURE" | "SENSOR_READING_TOO_OLD" | "SENSOR_READING_UNKNOWN_CHANNEL" | "SENSOR_READING_BAD_VALUE" | "SENSOR_READING_LOCATION" | "SENSOR_READING_DUPLICATE_IN_BATCH" | "SENSOR_READINGS_DAILY_LIMIT";
                                channel?: string;
                            }[];
                        };
                        path: string;
                        method: string;
                        /** Format: date-time */
                        timestamp: string;
                        requestId: string;
                    };
                };
            };
            /** @description `SENSOR_READINGS_BATCH_INVALID`: not JSON, or not a list of 1 to 500 readings */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `SENSOR_KEY_INVALID`: key missing, wrong, expired or revoked, or unknown sensor */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `SENSOR_DISABLED`, `SENSOR_HELD`, `ASSETS_HELD`, `ASSETS_SUSPENDED` or `LICENSE_FEATURE_MISSING`: the sensor may not send */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `REQUEST_TIMEOUT`: the body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `BODY_TOO_LARGE`: the body exceeds the size limit */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `MEDIA_TYPE_UNSUPPORTED`: unknown `Content-Encoding` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `SENSOR_RATE_LIMITED` or `SENSOR_READINGS_DAILY_LIMIT`; `Retry-After` gives the wait in seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `INGEST_UNAVAILABLE`: readings cannot be stored; send the same batch again after `Retry-After` seconds */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getEnterpriseV1AssetsSensorsByIdReadings: {
        parameters: {
            query?: {
                from?: string;
                to?: string;
                channel?: string | string[];
                limit?: number;
                cursor?: string;
                order?: "asc" | "desc";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            items: components["schemas"]["Reading"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    postEnterpriseV1AssetsSensorsByIdReadings: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    readings: {
                        /**
                         * Format: date-time
                         * @description Time of the reading by the sensor's clock, at most 10 minutes in the future: an RFC 3339 date-time with seconds and an offset, stored to the millisecond.
                         */
                        at: string;
                        /** @description Value for each channel name, of the type of the channel's measurement. Required when there is no location. */
                        values?: {
                            [key: string]: number | boolean;
                        };
                        /** @description `[longitude, latitude]` in degrees (WGS 84), within ±180 and ±90. */
                        location?: number[];
                    }[];
                };
            };
        };
        responses: {
            /** @description `SENSOR_READINGS_RESULT`: the outcome of each reading */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @constant */
                        statusCode: 200;
                        /** @constant */
                        code: "SENSOR_READINGS_RESULT";
                        message: string;
                        messageAr: string;
                        data: {
                            /** @description Times of the readings that are now stored durably. */
                            accepted: string[];
                            /** @description Times of readings that were already stored. */
                            duplicates: string[];
                            refused: {
                                /** @description The time as sent. */
                                at: string | number | boolean | null;
                                reason: "SENSOR_READING_AT_INVALID" | "SENSOR_READING_IN_FUTURE" | "SENSOR_READING_TOO_OLD" | "SENSOR_READING_UNKNOWN_CHANNEL" | "SENSOR_READING_BAD_VALUE" | "SENSOR_READING_LOCATION" | "SENSOR_READING_DUPLICATE_IN_BATCH" | "SENSOR_READINGS_DAILY_LIMIT";
                                channel?: string;
                            }[];
                        };
                        path: string;
                        method: string;
                        /** Format: date-time */
                        timestamp: string;
                        requestId: string;
                    };
                };
            };
            /** @description `SENSOR_READINGS_BATCH_INVALID`: not JSON, or not a list of 1 to 500 readings */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `SENSOR_DISABLED`, `SENSOR_HELD`: the sensor may get no readings */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `BODY_TOO_LARGE`: the body exceeds the size limit */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `RATE_LIMITED` or `SENSOR_READINGS_DAILY_LIMIT`; `Retry-After` gives the wait in seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getEnterpriseV1AssetsRules: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            items: components["schemas"]["ZoneRule"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    postEnterpriseV1AssetsRules: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Id of a layer of the enterprise that contains polygons only */
                    layerId: string;
                    /** @description What creates an event: the sensor enters a polygon, leaves one, is inside one, or is outside all */
                    when: "enter" | "leave" | "inside" | "outside";
                    /** @description Name of the rule; must not consist of spaces only */
                    name?: string;
                    /** @description Sensor ids without repetition, or "all" */
                    sensorIds?: string[] | "all";
                    /**
                     * @description Same as sensorIds: "all"
                     * @constant
                     */
                    all?: true;
                    /** @default true */
                    enabled?: boolean;
                };
            };
        };
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["ZoneRule"];
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getEnterpriseV1AssetsRulesById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["ZoneRule"];
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    deleteEnterpriseV1AssetsRulesById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            id: string;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    patchEnterpriseV1AssetsRulesById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Name of the rule; must not consist of spaces only */
                    name?: string;
                    /** @description Id of a layer of the enterprise that contains polygons only */
                    layerId?: string;
                    /** @description What creates an event: the sensor enters a polygon, leaves one, is inside one, or is outside all */
                    when?: "enter" | "leave" | "inside" | "outside";
                    /** @description Sensor ids without repetition, or "all" */
                    sensorIds?: string[] | "all";
                    /**
                     * @description Same as sensorIds: "all"
                     * @constant
                     */
                    all?: true;
                    /** @default true */
                    enabled?: boolean;
                };
            };
        };
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["ZoneRule"];
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getEnterpriseV1AssetsRulesByIdEvents: {
        parameters: {
            query?: {
                from?: string;
                to?: string;
                sensorId?: string;
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            items: components["schemas"]["ZoneEvent"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    postEnterpriseV1AssetsInside: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Id of a layer of the enterprise that contains polygons only */
                    layerId?: string;
                    /** @description GeoJSON: a Polygon, a MultiPolygon, a Feature or a FeatureCollection of them */
                    polygon?: unknown;
                };
            };
        };
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            total: number;
                            sensorIds: string[];
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getEnterpriseV1AssetsCrs: {
        parameters: {
            query?: {
                q?: string;
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            items: components["schemas"]["Crs"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getEnterpriseV1AssetsCrsByCode: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                code: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            code: number;
                            name: string;
                            /** @enum {string} */
                            kind: "projected" | "geographic";
                            area: string | null;
                            bbox: number[] | null;
                            proj4: string | null;
                            errorM: number | null;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getEnterpriseV1AssetsSensors: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                offset?: number;
                q?: string;
                tag?: string;
                state?: string;
                sort?: "id" | "name" | "state" | "lastAt" | "refused";
                order?: "asc" | "desc";
                include?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            items: components["schemas"]["FleetSensor"][];
                            nextCursor: string | null;
                            total?: number;
                            states?: components["schemas"]["StateCounts"];
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getEnterpriseV1AssetsSensorsStates: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            total: number;
                            states: components["schemas"]["StateCounts"];
                            readingsPerMinute: number;
                            refusedLastHour: number;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getEnterpriseV1AssetsTags: {
        parameters: {
            query?: {
                q?: string;
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            items: {
                                tag: string;
                                count: number;
                            }[];
                            nextCursor: string | null;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getEnterpriseV1AssetsSensorsByIdRefusals: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            items: {
                                reason: string;
                                count: number;
                                /** Format: date-time */
                                lastAt: string;
                                example: string | null;
                                message: string;
                                messageAr: string;
                            }[];
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getEnterpriseV1AssetsLive: {
        parameters: {
            query?: {
                bbox?: string;
                tag?: string;
                format?: "geojson" | "columns";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            /** @constant */
                            type: "FeatureCollection";
                            features: {
                                /** @constant */
                                type: "Feature";
                                id: string;
                                properties: {
                                    assetName: string;
                                    sensorId: string;
                                    /** Format: date-time */
                                    at: string;
                                };
                                geometry: {
                                    /** @constant */
                                    type: "Point";
                                    coordinates: number[];
                                };
                            }[];
                        } | {
                            states: string[];
                            base: number;
                            ids: string[];
                            sensorIds: string[];
                            names: string[];
                            lon: number[];
                            lat: number[];
                            state: number[];
                            at: number[];
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getEnterpriseV1AssetsLiveStream: {
        parameters: {
            query?: {
                bbox?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The content */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": unknown;
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getEnterpriseV1AssetsStream: {
        parameters: {
            query?: {
                bbox?: string;
                snapshot?: "yes" | "no";
                topics?: string;
                sensors?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The content */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": unknown;
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getEnterpriseV1AssetsEvents: {
        parameters: {
            query?: {
                from?: string;
                to?: string;
                rule?: string;
                sensor?: string;
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            items: components["schemas"]["NamedZoneEvent"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getEnterpriseV1AssetsSensorsByIdLatest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["Latest"];
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getEnterpriseV1AssetsSensorsByIdSeries: {
        parameters: {
            query: {
                channel: string | string[];
                from?: string;
                to?: string;
                step?: string;
                points?: number;
                agg?: string;
                gaps?: "null" | "none";
                tz?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["SeriesResult"];
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getEnterpriseV1AssetsLatest: {
        parameters: {
            query?: {
                sensors?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            items: {
                                sensorId: string;
                                at: string | null;
                                values: {
                                    [key: string]: {
                                        value: number | boolean;
                                        /** Format: date-time */
                                        at: string;
                                    };
                                };
                                location: number[] | null;
                            }[];
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getEnterpriseV1AssetsSeries: {
        parameters: {
            query: {
                channel: string | string[];
                from?: string;
                to?: string;
                step?: string;
                points?: number;
                agg?: string;
                gaps?: "null" | "none";
                tz?: string;
                sensors?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["SeriesResult"];
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getEnterpriseV1AssetsTracksBySensorId: {
        parameters: {
            query?: {
                from?: string;
                to?: string;
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                sensorId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            /** @constant */
                            type: "Feature";
                            id: string;
                            nextCursor: string | null;
                            properties: {
                                sensorId: string;
                                assetId: string;
                                assetName: string;
                                times: (string | string[])[];
                            };
                            geometry: {
                                /** @enum {string} */
                                type: "MultiLineString" | "LineString" | "Point";
                                coordinates: unknown[];
                            } | null;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getEnterpriseV1AssetsExport: {
        parameters: {
            query: {
                escapeFormulas?: "true" | "false";
                layout?: "long" | "wide";
                format: "csv" | "jsonl" | "parquet" | "arrow";
                enterprise?: string;
                from?: string;
                to?: string;
                channel?: string | string[];
                sensors?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The content */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": unknown;
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    convertConvertCoordinates: {
        parameters: {
            query?: never;
            header?: {
                /** @description E-mail address of the member to attribute the run to. Default: the owner of the organization. */
                "X-Api-User"?: string;
                /** @description Makes the call safe to retry. For 24 hours, a repeat with the same key returns the first result without running the tool or charging credits again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Notation of the points: dd decimal degrees, dms degrees, minutes and seconds, ddm degrees and decimal minutes
                     * @enum {string}
                     */
                    from_format: "dd" | "dms" | "ddm";
                    /** @description The points: numbers for dd, text for dms and ddm */
                    points: {
                        lon: number | string;
                        lat: number | string;
                    }[];
                };
            };
        };
        responses: {
            /** @description The result of the tool. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            /** @description Notation of the points */
                            fromFormat: string;
                            /** @description Each point in all three notations */
                            results: {
                                dd: {
                                    lon: number;
                                    lat: number;
                                };
                                dms: {
                                    lon: string;
                                    lat: string;
                                };
                                ddm: {
                                    lon: string;
                                    lat: string;
                                };
                            }[];
                            /** @description Notes about the conversion, for example dropped attributes or shortened names */
                            warnings?: string[];
                            usage: components["schemas"]["Usage"];
                        };
                    };
                };
            };
            /** @description The request is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise does not have enough credits left for this period. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The application of this key pair is not allowed to run this tool. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A request with this Idempotency-Key is still running; retry when it has finished. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A file exceeds the size limit. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported media type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A field is invalid. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool failed. No credits were charged. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too many calls are waiting; retry later. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool exceeded its time limit and was stopped. No credits were charged. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Stored files and layers exceed the storage quota; delete some of them first. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    convertExtractExif: {
        parameters: {
            query?: never;
            header?: {
                /** @description E-mail address of the member to attribute the run to. Default: the owner of the organization. */
                "X-Api-User"?: string;
                /** @description Makes the call safe to retry. For 24 hours, a repeat with the same key returns the first result without running the tool or charging credits again. */
                "Idempotency-Key"?: string;
                /** @description `respond-async` runs the tool as a job and returns 202 immediately. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description JPEG or HEIC photos, up to thirty */
                    files: (string | components["schemas"]["StoredKey"])[];
                };
            };
        };
        responses: {
            /** @description The result of the tool. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            /** @description Storage key of the output file */
                            key: string;
                            /** @description Name of the output file */
                            outputFilename?: string;
                            /** @description Artifact id of the output file */
                            artifactId?: string;
                            /** @description Storage key of the first input file */
                            inputKey?: string;
                            /** @description Storage keys of the input files */
                            inputKeys?: string[];
                            /** @description A row for each photo: degrees, metres above sea level, and the time as ISO 8601, without an offset if the camera did not record one; make and model of the camera, and the EXIF orientation from 1 to 8 */
                            images: {
                                filename: string;
                                hasGps: boolean;
                                latitude: number | null;
                                longitude: number | null;
                                altitude: number | null;
                                timestamp: string | null;
                                camera: string | null;
                                orientation: number | null;
                            }[];
                            /** @description Photos with a position */
                            geotaggedCount: number;
                            /** @description Photos */
                            totalCount: number;
                            /** @description The positions as a GeoJSON FeatureCollection, the same as the stored file */
                            geojsonOutput: {
                                /** @constant */
                                type: "FeatureCollection";
                                features: unknown[];
                            };
                            /** @description Notes about the conversion, for example dropped attributes or shortened names */
                            warnings?: string[];
                            usage: components["schemas"]["Usage"];
                        };
                    };
                };
            };
            /** @description The job was accepted. `Location` is the URL of its status. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "JOB_ACCEPTED";
                        data: components["schemas"]["Job"];
                    };
                };
            };
            /** @description The request is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise does not have enough credits left for this period. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The application of this key pair is not allowed to run this tool. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A request with this Idempotency-Key is still running; retry when it has finished. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A file exceeds the size limit. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported media type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A field is invalid. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool failed. No credits were charged. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too many calls are waiting; retry later. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool exceeded its time limit and was stopped. No credits were charged. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Stored files and layers exceed the storage quota; delete some of them first. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    convertTransformCrsCsv: {
        parameters: {
            query?: never;
            header?: {
                /** @description E-mail address of the member to attribute the run to. Default: the owner of the organization. */
                "X-Api-User"?: string;
                /** @description Makes the call safe to retry. For 24 hours, a repeat with the same key returns the first result without running the tool or charging credits again. */
                "Idempotency-Key"?: string;
                /** @description `respond-async` runs the tool as a job and returns 202 immediately. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description CSV in UTF-8 with a header; coordinates in columns named longitude, lon, lng, x or easting, and latitude, lat, y or northing */
                    file: string | components["schemas"]["StoredKey"];
                    /** @description CRS of the points, such as EPSG:4326 */
                    source_crs: string;
                    /** @description CRS of the result, such as EPSG:25833 */
                    target_crs: string;
                    /**
                     * @description Put a quote in front of text that a spreadsheet would run as a formula: text that begins with =, +, -, @, a tab or a carriage return and is not a number. Only for CSV
                     * @default false
                     */
                    escape_formulas?: boolean;
                };
            };
        };
        responses: {
            /** @description The result of the tool. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            /** @description Storage key of the output file */
                            key: string;
                            /** @description Name of the output file */
                            outputFilename?: string;
                            /** @description Artifact id of the output file */
                            artifactId?: string;
                            /** @description Storage key of the first input file */
                            inputKey?: string;
                            /** @description Points that were reprojected */
                            pointCount: number;
                            /** @description Notes about the conversion, for example dropped attributes or shortened names */
                            warnings?: string[];
                            usage: components["schemas"]["Usage"];
                        };
                    };
                };
            };
            /** @description The job was accepted. `Location` is the URL of its status. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "JOB_ACCEPTED";
                        data: components["schemas"]["Job"];
                    };
                };
            };
            /** @description The request is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise does not have enough credits left for this period. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The application of this key pair is not allowed to run this tool. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A request with this Idempotency-Key is still running; retry when it has finished. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A file exceeds the size limit. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported media type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A field is invalid. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool failed. No credits were charged. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too many calls are waiting; retry later. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool exceeded its time limit and was stopped. No credits were charged. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Stored files and layers exceed the storage quota; delete some of them first. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    convertTransformCrsJson: {
        parameters: {
            query?: never;
            header?: {
                /** @description E-mail address of the member to attribute the run to. Default: the owner of the organization. */
                "X-Api-User"?: string;
                /** @description Makes the call safe to retry. For 24 hours, a repeat with the same key returns the first result without running the tool or charging credits again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description CRS of the points, such as EPSG:4326 */
                    source_crs: string;
                    /** @description CRS of the result, such as EPSG:25833 */
                    target_crs: string;
                    /** @description The points */
                    points: {
                        x: number;
                        y: number;
                    }[];
                };
            };
        };
        responses: {
            /** @description The result of the tool. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            /** @description The points, in the order of the request */
                            transformedPoints: {
                                x: number;
                                y: number;
                            }[];
                            /** @description Notes about the conversion, for example dropped attributes or shortened names */
                            warnings?: string[];
                            usage: components["schemas"]["Usage"];
                        };
                    };
                };
            };
            /** @description The request is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise does not have enough credits left for this period. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The application of this key pair is not allowed to run this tool. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A request with this Idempotency-Key is still running; retry when it has finished. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A file exceeds the size limit. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported media type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A field is invalid. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool failed. No credits were charged. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too many calls are waiting; retry later. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool exceeded its time limit and was stopped. No credits were charged. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Stored files and layers exceed the storage quota; delete some of them first. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    convertValidateConvert: {
        parameters: {
            query?: never;
            header?: {
                /** @description E-mail address of the member to attribute the run to. Default: the owner of the organization. */
                "X-Api-User"?: string;
                /** @description Makes the call safe to retry. For 24 hours, a repeat with the same key returns the first result without running the tool or charging credits again. */
                "Idempotency-Key"?: string;
                /** @description `respond-async` runs the tool as a job and returns 202 immediately. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description The layer: GeoJSON, zipped shapefile, KML, KMZ, GML, GeoPackage, FlatGeobuf, GeoParquet or CSV with coordinates */
                    file: string | components["schemas"]["StoredKey"];
                    /**
                     * @description Format of the result. GeoJSON, KML, KMZ and GeoParquet use WGS 84; all others keep the CRS of the file
                     * @enum {string}
                     */
                    target_format: "geojson" | "shp" | "kml" | "gml" | "gpkg" | "fgb" | "kmz" | "parquet";
                    /** @description Decimals of the coordinates of the result, in units of its CRS. Without it GeoJSON has 9 and other formats keep all */
                    coordinate_precision?: number;
                };
            };
        };
        responses: {
            /** @description The result of the tool. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            /** @description Storage key of the output file */
                            key: string;
                            /** @description Name of the output file */
                            outputFilename?: string;
                            /** @description Artifact id of the output file */
                            artifactId?: string;
                            /** @description Storage key of the first input file */
                            inputKey?: string;
                            /** @description Features in the result */
                            featureCount: number;
                            /** @description CRS of the result, as EPSG:n */
                            crs: string;
                            /** @description Type of its geometries */
                            geometryType: string;
                            /** @description CRS of the file, as EPSG:n */
                            sourceCrs: string;
                            /** @description Geometries that were repaired */
                            repairedCount: number;
                            /** @description [minX, minY, maxX, maxY] in the CRS of the file; null for an empty layer */
                            bbox: number[];
                            /** @description Notes about the conversion, for example dropped attributes or shortened names */
                            warnings?: string[];
                            usage: components["schemas"]["Usage"];
                        };
                    };
                };
            };
            /** @description The job was accepted. `Location` is the URL of its status. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "JOB_ACCEPTED";
                        data: components["schemas"]["Job"];
                    };
                };
            };
            /** @description The request is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise does not have enough credits left for this period. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The application of this key pair is not allowed to run this tool. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A request with this Idempotency-Key is still running; retry when it has finished. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A file exceeds the size limit. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported media type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A field is invalid. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool failed. No credits were charged. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too many calls are waiting; retry later. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool exceeded its time limit and was stopped. No credits were charged. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Stored files and layers exceed the storage quota; delete some of them first. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    documentCompressPdf: {
        parameters: {
            query?: never;
            header?: {
                /** @description E-mail address of the member to attribute the run to. Default: the owner of the organization. */
                "X-Api-User"?: string;
                /** @description Makes the call safe to retry. For 24 hours, a repeat with the same key returns the first result without running the tool or charging credits again. */
                "Idempotency-Key"?: string;
                /** @description `respond-async` runs the tool as a job and returns 202 immediately. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description The document: PDF that opens without a password */
                    file: string | components["schemas"]["StoredKey"];
                    /**
                     * @description screen for the smallest file, ebook in between, print for the best quality
                     * @default ebook
                     * @enum {string}
                     */
                    quality?: "screen" | "ebook" | "print";
                };
            };
        };
        responses: {
            /** @description The result of the tool. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            /** @description Storage key of the output file */
                            key: string;
                            /** @description Name of the output file */
                            outputFilename?: string;
                            /** @description Artifact id of the output file */
                            artifactId?: string;
                            /** @description Storage key of the first input file */
                            inputKey?: string;
                            /** @description Pages */
                            pageCount: number;
                            /** @description Size of the file */
                            originalBytes: number;
                            /** @description Size of the result */
                            compressedBytes: number;
                            /** @description Whether the file could not be reduced and is returned unchanged */
                            alreadyOptimized: boolean;
                            /** @description Notes about the conversion, for example dropped attributes or shortened names */
                            warnings?: string[];
                            usage: components["schemas"]["Usage"];
                        };
                    };
                };
            };
            /** @description The job was accepted. `Location` is the URL of its status. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "JOB_ACCEPTED";
                        data: components["schemas"]["Job"];
                    };
                };
            };
            /** @description The request is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise does not have enough credits left for this period. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The application of this key pair is not allowed to run this tool. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A request with this Idempotency-Key is still running; retry when it has finished. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A file exceeds the size limit. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported media type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A field is invalid. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool failed. No credits were charged. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too many calls are waiting; retry later. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool exceeded its time limit and was stopped. No credits were charged. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Stored files and layers exceed the storage quota; delete some of them first. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    documentDocumentSign: {
        parameters: {
            query?: never;
            header?: {
                /** @description E-mail address of the member to attribute the run to. Default: the owner of the organization. */
                "X-Api-User"?: string;
                /** @description Makes the call safe to retry. For 24 hours, a repeat with the same key returns the first result without running the tool or charging credits again. */
                "Idempotency-Key"?: string;
                /** @description `respond-async` runs the tool as a job and returns 202 immediately. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description The document: PDF that opens without a password */
                    file: string | components["schemas"]["StoredKey"];
                    /** @description The signature: PNG */
                    signature: string | components["schemas"]["StoredKey"];
                    /** @description Where the signature goes; pages are numbered from 0; x, y, w and h are fractions of the page as displayed, measured from its top left corner */
                    placements: string;
                };
            };
        };
        responses: {
            /** @description The result of the tool. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            /** @description Storage key of the output file */
                            key: string;
                            /** @description Name of the output file */
                            outputFilename?: string;
                            /** @description Artifact id of the output file */
                            artifactId?: string;
                            /** @description Storage key of the first input file */
                            inputKey?: string;
                            /** @description Positions that were stamped */
                            placementCount: number;
                            /** @description Notes about the conversion, for example dropped attributes or shortened names */
                            warnings?: string[];
                            usage: components["schemas"]["Usage"];
                        };
                    };
                };
            };
            /** @description The job was accepted. `Location` is the URL of its status. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "JOB_ACCEPTED";
                        data: components["schemas"]["Job"];
                    };
                };
            };
            /** @description The request is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise does not have enough credits left for this period. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The application of this key pair is not allowed to run this tool. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A request with this Idempotency-Key is still running; retry when it has finished. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A file exceeds the size limit. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported media type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A field is invalid. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool failed. No credits were charged. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too many calls are waiting; retry later. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool exceeded its time limit and was stopped. No credits were charged. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Stored files and layers exceed the storage quota; delete some of them first. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    documentFillPdf: {
        parameters: {
            query?: never;
            header?: {
                /** @description E-mail address of the member to attribute the run to. Default: the owner of the organization. */
                "X-Api-User"?: string;
                /** @description Makes the call safe to retry. For 24 hours, a repeat with the same key returns the first result without running the tool or charging credits again. */
                "Idempotency-Key"?: string;
                /** @description `respond-async` runs the tool as a job and returns 202 immediately. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description The document: PDF that opens without a password */
                    file: string | components["schemas"]["StoredKey"];
                    /** @description Values by full field name; at most 500 values of 10000 characters. Check boxes take true or false, radio groups and drop-down lists one of their options, multiple-choice lists several; null empties a field */
                    values: string;
                    /**
                     * @description Whether the values become part of the pages
                     * @default false
                     * @enum {string}
                     */
                    flatten?: "true" | "false";
                };
            };
        };
        responses: {
            /** @description The result of the tool. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            /** @description Storage key of the output file */
                            key: string;
                            /** @description Name of the output file */
                            outputFilename?: string;
                            /** @description Artifact id of the output file */
                            artifactId?: string;
                            /** @description Storage key of the first input file */
                            inputKey?: string;
                            /** @description Fields of the form */
                            fieldCount: number;
                            /** @description Fields that were filled */
                            filledCount: number;
                            /** @description Whether the form was flattened */
                            flattened: boolean;
                            /** @description Notes about the conversion, for example dropped attributes or shortened names */
                            warnings?: string[];
                            usage: components["schemas"]["Usage"];
                        };
                    };
                };
            };
            /** @description The job was accepted. `Location` is the URL of its status. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "JOB_ACCEPTED";
                        data: components["schemas"]["Job"];
                    };
                };
            };
            /** @description The request is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise does not have enough credits left for this period. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The application of this key pair is not allowed to run this tool. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A request with this Idempotency-Key is still running; retry when it has finished. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A file exceeds the size limit. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported media type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A field is invalid. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool failed. No credits were charged. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too many calls are waiting; retry later. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool exceeded its time limit and was stopped. No credits were charged. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Stored files and layers exceed the storage quota; delete some of them first. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    documentImagesToPdf: {
        parameters: {
            query?: never;
            header?: {
                /** @description E-mail address of the member to attribute the run to. Default: the owner of the organization. */
                "X-Api-User"?: string;
                /** @description Makes the call safe to retry. For 24 hours, a repeat with the same key returns the first result without running the tool or charging credits again. */
                "Idempotency-Key"?: string;
                /** @description `respond-async` runs the tool as a job and returns 202 immediately. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description The images, in order */
                    files: (string | components["schemas"]["StoredKey"])[];
                    /**
                     * @description A4, or pages of the size of the images
                     * @default a4
                     * @enum {string}
                     */
                    page_mode?: "a4" | "fit";
                };
            };
        };
        responses: {
            /** @description The result of the tool. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            /** @description Storage key of the output file */
                            key: string;
                            /** @description Name of the output file */
                            outputFilename?: string;
                            /** @description Artifact id of the output file */
                            artifactId?: string;
                            /** @description Storage key of the first input file */
                            inputKey?: string;
                            /** @description Storage keys of the input files */
                            inputKeys?: string[];
                            /** @description Pages */
                            pageCount: number;
                            /** @description Images in the PDF */
                            fileCount: number;
                            /** @description Notes about the conversion, for example dropped attributes or shortened names */
                            warnings?: string[];
                            usage: components["schemas"]["Usage"];
                        };
                    };
                };
            };
            /** @description The job was accepted. `Location` is the URL of its status. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "JOB_ACCEPTED";
                        data: components["schemas"]["Job"];
                    };
                };
            };
            /** @description The request is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise does not have enough credits left for this period. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The application of this key pair is not allowed to run this tool. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A request with this Idempotency-Key is still running; retry when it has finished. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A file exceeds the size limit. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported media type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A field is invalid. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool failed. No credits were charged. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too many calls are waiting; retry later. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool exceeded its time limit and was stopped. No credits were charged. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Stored files and layers exceed the storage quota; delete some of them first. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    documentMergePdf: {
        parameters: {
            query?: never;
            header?: {
                /** @description E-mail address of the member to attribute the run to. Default: the owner of the organization. */
                "X-Api-User"?: string;
                /** @description Makes the call safe to retry. For 24 hours, a repeat with the same key returns the first result without running the tool or charging credits again. */
                "Idempotency-Key"?: string;
                /** @description `respond-async` runs the tool as a job and returns 202 immediately. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description The documents: 2 to 20 PDFs without passwords */
                    files: (string | components["schemas"]["StoredKey"])[];
                };
            };
        };
        responses: {
            /** @description The result of the tool. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            /** @description Storage key of the output file */
                            key: string;
                            /** @description Name of the output file */
                            outputFilename?: string;
                            /** @description Artifact id of the output file */
                            artifactId?: string;
                            /** @description Storage key of the first input file */
                            inputKey?: string;
                            /** @description Storage keys of the input files */
                            inputKeys?: string[];
                            /** @description PDFs that were merged */
                            fileCount: number;
                            /** @description Pages */
                            pageCount: number;
                            /** @description Notes about the conversion, for example dropped attributes or shortened names */
                            warnings?: string[];
                            usage: components["schemas"]["Usage"];
                        };
                    };
                };
            };
            /** @description The job was accepted. `Location` is the URL of its status. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "JOB_ACCEPTED";
                        data: components["schemas"]["Job"];
                    };
                };
            };
            /** @description The request is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise does not have enough credits left for this period. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The application of this key pair is not allowed to run this tool. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A request with this Idempotency-Key is still running; retry when it has finished. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A file exceeds the size limit. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported media type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A field is invalid. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool failed. No credits were charged. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too many calls are waiting; retry later. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool exceeded its time limit and was stopped. No credits were charged. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Stored files and layers exceed the storage quota; delete some of them first. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    documentOcr: {
        parameters: {
            query?: never;
            header?: {
                /** @description E-mail address of the member to attribute the run to. Default: the owner of the organization. */
                "X-Api-User"?: string;
                /** @description Makes the call safe to retry. For 24 hours, a repeat with the same key returns the first result without running the tool or charging credits again. */
                "Idempotency-Key"?: string;
                /** @description `respond-async` runs the tool as a job and returns 202 immediately. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description An image (PNG, JPEG, WebP, BMP, TIFF or GIF) or a PDF without a password */
                    file: string | components["schemas"]["StoredKey"];
                    /**
                     * @description Languages of the text
                     * @default eng
                     * @enum {string}
                     */
                    lang?: "eng" | "ara" | "eng+ara";
                    /**
                     * @description A text file, or a PDF that looks like the original and contains the text invisibly behind its words, for search and copying. Pages that already contain text stay unchanged
                     * @default text
                     * @enum {string}
                     */
                    result?: "text" | "pdf";
                };
            };
        };
        responses: {
            /** @description The result of the tool. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            /** @description Storage key of the output file */
                            key: string;
                            /** @description Name of the output file */
                            outputFilename?: string;
                            /** @description Artifact id of the output file */
                            artifactId?: string;
                            /** @description Storage key of the first input file */
                            inputKey?: string;
                            /** @description The text */
                            text: string;
                            /** @description Languages of the recognition */
                            lang: string;
                            /** @description Characters of the text */
                            charCount: number;
                            /** @description Pages that were read, including pages of a TIFF */
                            pageCount: number;
                            /** @description How sure the recognition is, 0 to 100: the mean over all characters; 0 without text */
                            confidence: number;
                            /** @description One entry for each page */
                            pages: {
                                /** @description Mean of the page, 0 to 100 */
                                confidence: number;
                                /** @description Lines of text */
                                lineCount: number;
                                /** @description Lines with a confidence below 60 */
                                doubtfulLineCount: number;
                                /** @description Regions that look like text and could not be read */
                                leftOutCount: number;
                                /** @description Clockwise turn that made the page upright, in degrees */
                                turn: number;
                            }[];
                            /** @description Notes about the conversion, for example dropped attributes or shortened names */
                            warnings?: string[];
                            usage: components["schemas"]["Usage"];
                        };
                    };
                };
            };
            /** @description The job was accepted. `Location` is the URL of its status. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "JOB_ACCEPTED";
                        data: components["schemas"]["Job"];
                    };
                };
            };
            /** @description The request is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise does not have enough credits left for this period. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The application of this key pair is not allowed to run this tool. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A request with this Idempotency-Key is still running; retry when it has finished. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A file exceeds the size limit. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported media type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A field is invalid. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool failed. No credits were charged. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too many calls are waiting; retry later. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool exceeded its time limit and was stopped. No credits were charged. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Stored files and layers exceed the storage quota; delete some of them first. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    documentPdfToImages: {
        parameters: {
            query?: never;
            header?: {
                /** @description E-mail address of the member to attribute the run to. Default: the owner of the organization. */
                "X-Api-User"?: string;
                /** @description Makes the call safe to retry. For 24 hours, a repeat with the same key returns the first result without running the tool or charging credits again. */
                "Idempotency-Key"?: string;
                /** @description `respond-async` runs the tool as a job and returns 202 immediately. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description The document: PDF that opens without a password */
                    file: string | components["schemas"]["StoredKey"];
                    /**
                     * @description Dots per inch
                     * @default 150
                     * @enum {string}
                     */
                    dpi?: "72" | "150" | "300";
                };
            };
        };
        responses: {
            /** @description The result of the tool. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            /** @description Storage key of the output file */
                            key: string;
                            /** @description Name of the output file */
                            outputFilename?: string;
                            /** @description Artifact id of the output file */
                            artifactId?: string;
                            /** @description Storage key of the first input file */
                            inputKey?: string;
                            /** @description Pages */
                            pageCount: number;
                            /** @description Notes about the conversion, for example dropped attributes or shortened names */
                            warnings?: string[];
                            usage: components["schemas"]["Usage"];
                        };
                    };
                };
            };
            /** @description The job was accepted. `Location` is the URL of its status. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "JOB_ACCEPTED";
                        data: components["schemas"]["Job"];
                    };
                };
            };
            /** @description The request is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise does not have enough credits left for this period. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The application of this key pair is not allowed to run this tool. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A request with this Idempotency-Key is still running; retry when it has finished. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A file exceeds the size limit. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported media type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A field is invalid. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool failed. No credits were charged. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too many calls are waiting; retry later. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool exceeded its time limit and was stopped. No credits were charged. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Stored files and layers exceed the storage quota; delete some of them first. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    documentPdfToWord: {
        parameters: {
            query?: never;
            header?: {
                /** @description E-mail address of the member to attribute the run to. Default: the owner of the organization. */
                "X-Api-User"?: string;
                /** @description Makes the call safe to retry. For 24 hours, a repeat with the same key returns the first result without running the tool or charging credits again. */
                "Idempotency-Key"?: string;
                /** @description `respond-async` runs the tool as a job and returns 202 immediately. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description The document: PDF that opens without a password */
                    file: string | components["schemas"]["StoredKey"];
                };
            };
        };
        responses: {
            /** @description The result of the tool. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            /** @description Storage key of the output file */
                            key: string;
                            /** @description Name of the output file */
                            outputFilename?: string;
                            /** @description Artifact id of the output file */
                            artifactId?: string;
                            /** @description Storage key of the first input file */
                            inputKey?: string;
                            /** @description Pages */
                            pageCount: number;
                            /** @description Notes about the conversion, for example dropped attributes or shortened names */
                            warnings?: string[];
                            usage: components["schemas"]["Usage"];
                        };
                    };
                };
            };
            /** @description The job was accepted. `Location` is the URL of its status. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "JOB_ACCEPTED";
                        data: components["schemas"]["Job"];
                    };
                };
            };
            /** @description The request is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise does not have enough credits left for this period. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The application of this key pair is not allowed to run this tool. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A request with this Idempotency-Key is still running; retry when it has finished. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A file exceeds the size limit. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported media type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A field is invalid. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool failed. No credits were charged. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too many calls are waiting; retry later. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool exceeded its time limit and was stopped. No credits were charged. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Stored files and layers exceed the storage quota; delete some of them first. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    documentPdfWatermark: {
        parameters: {
            query?: never;
            header?: {
                /** @description E-mail address of the member to attribute the run to. Default: the owner of the organization. */
                "X-Api-User"?: string;
                /** @description Makes the call safe to retry. For 24 hours, a repeat with the same key returns the first result without running the tool or charging credits again. */
                "Idempotency-Key"?: string;
                /** @description `respond-async` runs the tool as a job and returns 202 immediately. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description The document: PDF that opens without a password */
                    file: string | components["schemas"]["StoredKey"];
                    /**
                     * @description Whether the watermark is text or an image
                     * @default text
                     * @enum {string}
                     */
                    wm_mode?: "text" | "image";
                    /** @description The text */
                    text?: string;
                    /** @description The logo: PNG, JPEG, WebP, BMP, TIFF or GIF */
                    logo?: string | components["schemas"]["StoredKey"];
                    /**
                     * @description Position of the watermark
                     * @default diagonal
                     * @enum {string}
                     */
                    position?: "diagonal" | "center" | "top-left" | "top-right" | "bottom-left" | "bottom-right";
                    /**
                     * @description Opacity of the watermark, 0.05 to 1
                     * @default 0.15
                     */
                    opacity?: number;
                };
            };
        };
        responses: {
            /** @description The result of the tool. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            /** @description Storage key of the output file */
                            key: string;
                            /** @description Name of the output file */
                            outputFilename?: string;
                            /** @description Artifact id of the output file */
                            artifactId?: string;
                            /** @description Storage key of the first input file */
                            inputKey?: string;
                            /** @description Pages */
                            pageCount: number;
                            /** @description Notes about the conversion, for example dropped attributes or shortened names */
                            warnings?: string[];
                            usage: components["schemas"]["Usage"];
                        };
                    };
                };
            };
            /** @description The job was accepted. `Location` is the URL of its status. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "JOB_ACCEPTED";
                        data: components["schemas"]["Job"];
                    };
                };
            };
            /** @description The request is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise does not have enough credits left for this period. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The application of this key pair is not allowed to run this tool. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A request with this Idempotency-Key is still running; retry when it has finished. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A file exceeds the size limit. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported media type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A field is invalid. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool failed. No credits were charged. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too many calls are waiting; retry later. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool exceeded its time limit and was stopped. No credits were charged. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Stored files and layers exceed the storage quota; delete some of them first. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    documentRotatePages: {
        parameters: {
            query?: never;
            header?: {
                /** @description E-mail address of the member to attribute the run to. Default: the owner of the organization. */
                "X-Api-User"?: string;
                /** @description Makes the call safe to retry. For 24 hours, a repeat with the same key returns the first result without running the tool or charging credits again. */
                "Idempotency-Key"?: string;
                /** @description `respond-async` runs the tool as a job and returns 202 immediately. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description The document: PDF that opens without a password */
                    file: string | components["schemas"]["StoredKey"];
                    /** @description What is rotated and deleted: at least one operation */
                    operations: string;
                };
            };
        };
        responses: {
            /** @description The result of the tool. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            /** @description Storage key of the output file */
                            key: string;
                            /** @description Name of the output file */
                            outputFilename?: string;
                            /** @description Artifact id of the output file */
                            artifactId?: string;
                            /** @description Storage key of the first input file */
                            inputKey?: string;
                            /** @description Pages that remain */
                            pageCount: number;
                            /** @description Pages rotated */
                            rotatedCount: number;
                            /** @description Pages deleted */
                            deletedCount: number;
                            /** @description Notes about the conversion, for example dropped attributes or shortened names */
                            warnings?: string[];
                            usage: components["schemas"]["Usage"];
                        };
                    };
                };
            };
            /** @description The job was accepted. `Location` is the URL of its status. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "JOB_ACCEPTED";
                        data: components["schemas"]["Job"];
                    };
                };
            };
            /** @description The request is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise does not have enough credits left for this period. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The application of this key pair is not allowed to run this tool. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A request with this Idempotency-Key is still running; retry when it has finished. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A file exceeds the size limit. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported media type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A field is invalid. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool failed. No credits were charged. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too many calls are waiting; retry later. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool exceeded its time limit and was stopped. No credits were charged. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Stored files and layers exceed the storage quota; delete some of them first. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    documentSplitPdf: {
        parameters: {
            query?: never;
            header?: {
                /** @description E-mail address of the member to attribute the run to. Default: the owner of the organization. */
                "X-Api-User"?: string;
                /** @description Makes the call safe to retry. For 24 hours, a repeat with the same key returns the first result without running the tool or charging credits again. */
                "Idempotency-Key"?: string;
                /** @description `respond-async` runs the tool as a job and returns 202 immediately. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description The document: PDF that opens without a password */
                    file: string | components["schemas"]["StoredKey"];
                    /** @description Page ranges such as 1-3,5,8-, counted from 1; each becomes one PDF */
                    ranges: string;
                };
            };
        };
        responses: {
            /** @description The result of the tool. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            /** @description Storage key of the output file */
                            key: string;
                            /** @description Name of the output file */
                            outputFilename?: string;
                            /** @description Artifact id of the output file */
                            artifactId?: string;
                            /** @description Storage key of the first input file */
                            inputKey?: string;
                            /** @description PDFs written */
                            partCount: number;
                            /** @description Notes about the conversion, for example dropped attributes or shortened names */
                            warnings?: string[];
                            usage: components["schemas"]["Usage"];
                        };
                    };
                };
            };
            /** @description The job was accepted. `Location` is the URL of its status. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "JOB_ACCEPTED";
                        data: components["schemas"]["Job"];
                    };
                };
            };
            /** @description The request is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise does not have enough credits left for this period. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The application of this key pair is not allowed to run this tool. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A request with this Idempotency-Key is still running; retry when it has finished. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A file exceeds the size limit. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported media type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A field is invalid. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool failed. No credits were charged. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too many calls are waiting; retry later. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool exceeded its time limit and was stopped. No credits were charged. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Stored files and layers exceed the storage quota; delete some of them first. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    exportMapExport: {
        parameters: {
            query?: never;
            header?: {
                /** @description E-mail address of the member to attribute the run to. Default: the owner of the organization. */
                "X-Api-User"?: string;
                /** @description Makes the call safe to retry. For 24 hours, a repeat with the same key returns the first result without running the tool or charging credits again. */
                "Idempotency-Key"?: string;
                /** @description `respond-async` runs the tool as a job and returns 202 immediately. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description Images of the maps: one PNG for each map */
                    image: (string | components["schemas"]["StoredKey"])[];
                    /** @description The logo: PNG, JPEG, WebP, BMP, TIFF or GIF */
                    logo?: string | components["schemas"]["StoredKey"];
                    /** @description The sheet: its size, its texts, its legend, and what each map shows */
                    spec: string;
                };
            };
        };
        responses: {
            /** @description The result of the tool. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            /** @description Storage key of the output file */
                            key: string;
                            /** @description Name of the output file */
                            outputFilename?: string;
                            /** @description Artifact id of the output file */
                            artifactId?: string;
                            /** @description Storage key of the first input file */
                            inputKey?: string;
                            /** @description Pages; a long legend continues on further pages */
                            pageCount: number;
                            /** @description Maps on the sheet */
                            mapCount: number;
                            /** @description Scale denominator of each map, such as 25000 for 1:25000; null without an extent */
                            scales: (number | null)[];
                            /** @description Notes about the conversion, for example dropped attributes or shortened names */
                            warnings?: string[];
                            usage: components["schemas"]["Usage"];
                        };
                    };
                };
            };
            /** @description The job was accepted. `Location` is the URL of its status. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "JOB_ACCEPTED";
                        data: components["schemas"]["Job"];
                    };
                };
            };
            /** @description The request is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise does not have enough credits left for this period. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The application of this key pair is not allowed to run this tool. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A request with this Idempotency-Key is still running; retry when it has finished. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A file exceeds the size limit. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported media type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A field is invalid. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool failed. No credits were charged. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too many calls are waiting; retry later. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool exceeded its time limit and was stopped. No credits were charged. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Stored files and layers exceed the storage quota; delete some of them first. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    exportWorkspaceExport: {
        parameters: {
            query?: never;
            header?: {
                /** @description E-mail address of the member to attribute the run to. Default: the owner of the organization. */
                "X-Api-User"?: string;
                /** @description Makes the call safe to retry. For 24 hours, a repeat with the same key returns the first result without running the tool or charging credits again. */
                "Idempotency-Key"?: string;
                /** @description `respond-async` runs the tool as a job and returns 202 immediately. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description The layer: GeoJSON */
                    file: string | components["schemas"]["StoredKey"];
                    /**
                     * @description Format of the result
                     * @enum {string}
                     */
                    target_format: "shp" | "kml" | "csv" | "geojson";
                    /** @description File name without extension: letters, digits, spaces and _ . ( ) - */
                    base_name?: string;
                    /** @description Decimals of the coordinates of the result, in units of its CRS. Without it GeoJSON has 9 and other formats keep all */
                    coordinate_precision?: number;
                    /**
                     * @description Put a quote in front of text that a spreadsheet would run as a formula: text that begins with =, +, -, @, a tab or a carriage return and is not a number. Only for CSV
                     * @default false
                     */
                    escape_formulas?: boolean;
                };
            };
        };
        responses: {
            /** @description The result of the tool. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            /** @description Storage key of the output file */
                            key: string;
                            /** @description Name of the output file */
                            outputFilename?: string;
                            /** @description Artifact id of the output file */
                            artifactId?: string;
                            /** @description Storage key of the first input file */
                            inputKey?: string;
                            /** @description Features in the result */
                            featureCount: number;
                            /** @description Columns whose names were shortened to ten characters */
                            truncatedFields: string[];
                            /** @description Notes about the conversion, for example dropped attributes or shortened names */
                            warnings?: string[];
                            usage: components["schemas"]["Usage"];
                        };
                    };
                };
            };
            /** @description The job was accepted. `Location` is the URL of its status. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "JOB_ACCEPTED";
                        data: components["schemas"]["Job"];
                    };
                };
            };
            /** @description The request is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise does not have enough credits left for this period. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The application of this key pair is not allowed to run this tool. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A request with this Idempotency-Key is still running; retry when it has finished. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A file exceeds the size limit. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported media type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A field is invalid. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool failed. No credits were charged. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too many calls are waiting; retry later. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool exceeded its time limit and was stopped. No credits were charged. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Stored files and layers exceed the storage quota; delete some of them first. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    imageConvertFormat: {
        parameters: {
            query?: never;
            header?: {
                /** @description E-mail address of the member to attribute the run to. Default: the owner of the organization. */
                "X-Api-User"?: string;
                /** @description Makes the call safe to retry. For 24 hours, a repeat with the same key returns the first result without running the tool or charging credits again. */
                "Idempotency-Key"?: string;
                /** @description `respond-async` runs the tool as a job and returns 202 immediately. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description The image: PNG, JPEG, WebP, BMP, TIFF or GIF */
                    file: string | components["schemas"]["StoredKey"];
                    /**
                     * @description Format of the result
                     * @default png
                     * @enum {string}
                     */
                    target_format?: "png" | "jpeg" | "webp" | "bmp" | "tiff" | "gif";
                };
            };
        };
        responses: {
            /** @description The result of the tool. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            /** @description Storage key of the output file */
                            key: string;
                            /** @description Name of the output file */
                            outputFilename?: string;
                            /** @description Artifact id of the output file */
                            artifactId?: string;
                            /** @description Storage key of the first input file */
                            inputKey?: string;
                            /** @description Width of the result in pixels */
                            width: number;
                            /** @description Height of the result in pixels */
                            height: number;
                            /** @description Format of the result */
                            format: string;
                            /** @description Notes about the conversion, for example dropped attributes or shortened names */
                            warnings?: string[];
                            usage: components["schemas"]["Usage"];
                        };
                    };
                };
            };
            /** @description The job was accepted. `Location` is the URL of its status. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "JOB_ACCEPTED";
                        data: components["schemas"]["Job"];
                    };
                };
            };
            /** @description The request is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise does not have enough credits left for this period. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The application of this key pair is not allowed to run this tool. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A request with this Idempotency-Key is still running; retry when it has finished. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A file exceeds the size limit. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported media type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A field is invalid. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool failed. No credits were charged. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too many calls are waiting; retry later. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool exceeded its time limit and was stopped. No credits were charged. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Stored files and layers exceed the storage quota; delete some of them first. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    imageEnhanceQuality: {
        parameters: {
            query?: never;
            header?: {
                /** @description E-mail address of the member to attribute the run to. Default: the owner of the organization. */
                "X-Api-User"?: string;
                /** @description Makes the call safe to retry. For 24 hours, a repeat with the same key returns the first result without running the tool or charging credits again. */
                "Idempotency-Key"?: string;
                /** @description `respond-async` runs the tool as a job and returns 202 immediately. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description The image: PNG, JPEG, WebP, BMP, TIFF or GIF */
                    file: string | components["schemas"]["StoredKey"];
                    /**
                     * @description Double the width and height; needs the Plus plan
                     * @default false
                     */
                    upscale?: boolean;
                };
            };
        };
        responses: {
            /** @description The result of the tool. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            /** @description Storage key of the output file */
                            key: string;
                            /** @description Name of the output file */
                            outputFilename?: string;
                            /** @description Artifact id of the output file */
                            artifactId?: string;
                            /** @description Storage key of the first input file */
                            inputKey?: string;
                            /** @description Width of the result in pixels */
                            width: number;
                            /** @description Height of the result in pixels */
                            height: number;
                            /** @description Format of the result */
                            format: string;
                            /** @description Notes about the conversion, for example dropped attributes or shortened names */
                            warnings?: string[];
                            usage: components["schemas"]["Usage"];
                        };
                    };
                };
            };
            /** @description The job was accepted. `Location` is the URL of its status. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "JOB_ACCEPTED";
                        data: components["schemas"]["Job"];
                    };
                };
            };
            /** @description The request is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise does not have enough credits left for this period. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The application of this key pair is not allowed to run this tool. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A request with this Idempotency-Key is still running; retry when it has finished. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A file exceeds the size limit. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported media type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A field is invalid. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool failed. No credits were charged. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too many calls are waiting; retry later. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool exceeded its time limit and was stopped. No credits were charged. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Stored files and layers exceed the storage quota; delete some of them first. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    imageImageWatermark: {
        parameters: {
            query?: never;
            header?: {
                /** @description E-mail address of the member to attribute the run to. Default: the owner of the organization. */
                "X-Api-User"?: string;
                /** @description Makes the call safe to retry. For 24 hours, a repeat with the same key returns the first result without running the tool or charging credits again. */
                "Idempotency-Key"?: string;
                /** @description `respond-async` runs the tool as a job and returns 202 immediately. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description The image: PNG, JPEG, WebP, BMP, TIFF or GIF */
                    file: string | components["schemas"]["StoredKey"];
                    /**
                     * @description Whether the watermark is text or an image
                     * @default text
                     * @enum {string}
                     */
                    wm_mode?: "text" | "image";
                    /** @description The text */
                    text?: string;
                    /** @description The logo: PNG, JPEG, WebP, BMP, TIFF or GIF */
                    logo?: string | components["schemas"]["StoredKey"];
                    /**
                     * @description Position of the watermark
                     * @default bottom-right
                     * @enum {string}
                     */
                    position?: "diagonal" | "center" | "top-left" | "top-right" | "bottom-left" | "bottom-right";
                    /**
                     * @description Opacity of the watermark, 0.05 to 1
                     * @default 0.4
                     */
                    opacity?: number;
                };
            };
        };
        responses: {
            /** @description The result of the tool. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            /** @description Storage key of the output file */
                            key: string;
                            /** @description Name of the output file */
                            outputFilename?: string;
                            /** @description Artifact id of the output file */
                            artifactId?: string;
                            /** @description Storage key of the first input file */
                            inputKey?: string;
                            /** @description Width of the result in pixels */
                            width: number;
                            /** @description Height of the result in pixels */
                            height: number;
                            /** @description Format of the result */
                            format: string;
                            /** @description Notes about the conversion, for example dropped attributes or shortened names */
                            warnings?: string[];
                            usage: components["schemas"]["Usage"];
                        };
                    };
                };
            };
            /** @description The job was accepted. `Location` is the URL of its status. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "JOB_ACCEPTED";
                        data: components["schemas"]["Job"];
                    };
                };
            };
            /** @description The request is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise does not have enough credits left for this period. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The application of this key pair is not allowed to run this tool. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A request with this Idempotency-Key is still running; retry when it has finished. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A file exceeds the size limit. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported media type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A field is invalid. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool failed. No credits were charged. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too many calls are waiting; retry later. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool exceeded its time limit and was stopped. No credits were charged. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Stored files and layers exceed the storage quota; delete some of them first. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    imageMergeImages: {
        parameters: {
            query?: never;
            header?: {
                /** @description E-mail address of the member to attribute the run to. Default: the owner of the organization. */
                "X-Api-User"?: string;
                /** @description Makes the call safe to retry. For 24 hours, a repeat with the same key returns the first result without running the tool or charging credits again. */
                "Idempotency-Key"?: string;
                /** @description `respond-async` runs the tool as a job and returns 202 immediately. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description The images, in order */
                    files: (string | components["schemas"]["StoredKey"])[];
                    /**
                     * @description How the images are arranged
                     * @default vertical
                     * @enum {string}
                     */
                    layout?: "vertical" | "horizontal" | "grid";
                };
            };
        };
        responses: {
            /** @description The result of the tool. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            /** @description Storage key of the output file */
                            key: string;
                            /** @description Name of the output file */
                            outputFilename?: string;
                            /** @description Artifact id of the output file */
                            artifactId?: string;
                            /** @description Storage key of the first input file */
                            inputKey?: string;
                            /** @description Storage keys of the input files */
                            inputKeys?: string[];
                            /** @description Width of the result in pixels */
                            width: number;
                            /** @description Height of the result in pixels */
                            height: number;
                            /** @description Format of the result */
                            format: string;
                            /** @description Images merged */
                            fileCount: number;
                            /** @description Notes about the conversion, for example dropped attributes or shortened names */
                            warnings?: string[];
                            usage: components["schemas"]["Usage"];
                        };
                    };
                };
            };
            /** @description The job was accepted. `Location` is the URL of its status. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "JOB_ACCEPTED";
                        data: components["schemas"]["Job"];
                    };
                };
            };
            /** @description The request is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise does not have enough credits left for this period. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The application of this key pair is not allowed to run this tool. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A request with this Idempotency-Key is still running; retry when it has finished. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A file exceeds the size limit. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported media type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A field is invalid. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool failed. No credits were charged. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too many calls are waiting; retry later. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool exceeded its time limit and was stopped. No credits were charged. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Stored files and layers exceed the storage quota; delete some of them first. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    imageRemoveBackground: {
        parameters: {
            query?: never;
            header?: {
                /** @description E-mail address of the member to attribute the run to. Default: the owner of the organization. */
                "X-Api-User"?: string;
                /** @description Makes the call safe to retry. For 24 hours, a repeat with the same key returns the first result without running the tool or charging credits again. */
                "Idempotency-Key"?: string;
                /** @description `respond-async` runs the tool as a job and returns 202 immediately. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description The image: PNG, JPEG, WebP or BMP */
                    file: string | components["schemas"]["StoredKey"];
                };
            };
        };
        responses: {
            /** @description The result of the tool. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            /** @description Storage key of the output file */
                            key: string;
                            /** @description Name of the output file */
                            outputFilename?: string;
                            /** @description Artifact id of the output file */
                            artifactId?: string;
                            /** @description Storage key of the first input file */
                            inputKey?: string;
                            /** @description Width of the result in pixels */
                            width: number;
                            /** @description Height of the result in pixels */
                            height: number;
                            /** @description Format of the result */
                            format: string;
                            /** @description Notes about the conversion, for example dropped attributes or shortened names */
                            warnings?: string[];
                            usage: components["schemas"]["Usage"];
                        };
                    };
                };
            };
            /** @description The job was accepted. `Location` is the URL of its status. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "JOB_ACCEPTED";
                        data: components["schemas"]["Job"];
                    };
                };
            };
            /** @description The request is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise does not have enough credits left for this period. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The application of this key pair is not allowed to run this tool. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A request with this Idempotency-Key is still running; retry when it has finished. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A file exceeds the size limit. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported media type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A field is invalid. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool failed. No credits were charged. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too many calls are waiting; retry later. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool exceeded its time limit and was stopped. No credits were charged. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Stored files and layers exceed the storage quota; delete some of them first. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    measureDistanceBearing: {
        parameters: {
            query?: never;
            header?: {
                /** @description E-mail address of the member to attribute the run to. Default: the owner of the organization. */
                "X-Api-User"?: string;
                /** @description Makes the call safe to retry. For 24 hours, a repeat with the same key returns the first result without running the tool or charging credits again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Points in order, at least two */
                    points: {
                        lon: number;
                        lat: number;
                    }[];
                };
            };
        };
        responses: {
            /** @description The result of the tool. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            /** @description Each segment goes from one point to the next, by index; back_bearing points from the second point to the first */
                            segments: {
                                from: number;
                                to: number;
                                distance_m: number;
                                distance_km: number;
                                forward_bearing: number;
                                back_bearing: number;
                            }[];
                            /** @description Distance along all segments in metres */
                            total_distance_m: number;
                            /** @description The same in kilometres */
                            total_distance_km: number;
                            /** @description Distance from the first point to the last in metres */
                            straight_distance_m: number;
                            /** @description The same in kilometres */
                            straight_distance_km: number;
                            /** @description Whether the last point equals the first */
                            is_closed: boolean;
                            /** @description Points */
                            point_count: number;
                            /** @description Segments */
                            segment_count: number;
                            /** @description Notes about the conversion, for example dropped attributes or shortened names */
                            warnings?: string[];
                            usage: components["schemas"]["Usage"];
                        };
                    };
                };
            };
            /** @description The request is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise does not have enough credits left for this period. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The application of this key pair is not allowed to run this tool. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A request with this Idempotency-Key is still running; retry when it has finished. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A file exceeds the size limit. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported media type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A field is invalid. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool failed. No credits were charged. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too many calls are waiting; retry later. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool exceeded its time limit and was stopped. No credits were charged. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Stored files and layers exceed the storage quota; delete some of them first. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    measurePointInPolygon: {
        parameters: {
            query?: never;
            header?: {
                /** @description E-mail address of the member to attribute the run to. Default: the owner of the organization. */
                "X-Api-User"?: string;
                /** @description Makes the call safe to retry. For 24 hours, a repeat with the same key returns the first result without running the tool or charging credits again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Vertices as [longitude, latitude], at least three. Edges are as drawn; longitudes beyond ±180 lead across the antimeridian */
                    polygon: number[][];
                    /** @description The points */
                    points: {
                        lon: number;
                        lat: number;
                    }[];
                };
            };
        };
        responses: {
            /** @description The result of the tool. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            /** @description The points in order; position is inside, outside or boundary */
                            results: {
                                lon: number;
                                lat: number;
                                position: string;
                                distance_m: number;
                            }[];
                            /** @description Points inside */
                            inside_count: number;
                            /** @description Points outside */
                            outside_count: number;
                            /** @description Points on the boundary */
                            boundary_count: number;
                            /** @description Points */
                            point_count: number;
                            /** @description Notes about the conversion, for example dropped attributes or shortened names */
                            warnings?: string[];
                            usage: components["schemas"]["Usage"];
                        };
                    };
                };
            };
            /** @description The request is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise does not have enough credits left for this period. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The application of this key pair is not allowed to run this tool. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A request with this Idempotency-Key is still running; retry when it has finished. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A file exceeds the size limit. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported media type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A field is invalid. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool failed. No credits were charged. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too many calls are waiting; retry later. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool exceeded its time limit and was stopped. No credits were charged. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Stored files and layers exceed the storage quota; delete some of them first. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    rasterCogOptimize: {
        parameters: {
            query?: never;
            header?: {
                /** @description E-mail address of the member to attribute the run to. Default: the owner of the organization. */
                "X-Api-User"?: string;
                /** @description Makes the call safe to retry. For 24 hours, a repeat with the same key returns the first result without running the tool or charging credits again. */
                "Idempotency-Key"?: string;
                /** @description `respond-async` runs the tool as a job and returns 202 immediately. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description The raster: GeoTIFF (.tif, .tiff, .geotiff) */
                    file: string | components["schemas"]["StoredKey"];
                };
            };
        };
        responses: {
            /** @description The result of the tool. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            /** @description Storage key of the output file */
                            key: string;
                            /** @description Name of the output file */
                            outputFilename?: string;
                            /** @description Artifact id of the output file */
                            artifactId?: string;
                            /** @description Storage key of the first input file */
                            inputKey?: string;
                            /** @description Whether the file was already a COG */
                            wasAlreadyCog: boolean;
                            /** @description What the file lacked */
                            issues: string[];
                            /** @description Columns */
                            width: number;
                            /** @description Rows */
                            height: number;
                            /** @description Bands */
                            bandCount: number;
                            /** @description Whether the file had tiles */
                            originalTiled: boolean;
                            /** @description Overviews of the file */
                            originalOverviewCount: number;
                            /** @description Compression of the file, NONE for none */
                            originalCompression: string;
                            /** @description Overviews of the result */
                            optimizedOverviewCount: number;
                            /** @description Compression of the result */
                            optimizedCompression: string;
                            /** @description Notes about the conversion, for example dropped attributes or shortened names */
                            warnings?: string[];
                            usage: components["schemas"]["Usage"];
                        };
                    };
                };
            };
            /** @description The job was accepted. `Location` is the URL of its status. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "JOB_ACCEPTED";
                        data: components["schemas"]["Job"];
                    };
                };
            };
            /** @description The request is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise does not have enough credits left for this period. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The application of this key pair is not allowed to run this tool. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A request with this Idempotency-Key is still running; retry when it has finished. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A file exceeds the size limit. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported media type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A field is invalid. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool failed. No credits were charged. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too many calls are waiting; retry later. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool exceeded its time limit and was stopped. No credits were charged. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Stored files and layers exceed the storage quota; delete some of them first. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    rasterHillshade: {
        parameters: {
            query?: never;
            header?: {
                /** @description E-mail address of the member to attribute the run to. Default: the owner of the organization. */
                "X-Api-User"?: string;
                /** @description Makes the call safe to retry. For 24 hours, a repeat with the same key returns the first result without running the tool or charging credits again. */
                "Idempotency-Key"?: string;
                /** @description `respond-async` runs the tool as a job and returns 202 immediately. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description The raster: GeoTIFF */
                    file: string | components["schemas"]["StoredKey"];
                    /**
                     * @description Band of the raster
                     * @default 1
                     */
                    band?: number;
                    /**
                     * @description Direction that the light comes from, in degrees clockwise from north
                     * @default 315
                     */
                    azimuth?: number;
                    /**
                     * @description Height of the light above the horizon, in degrees
                     * @default 45
                     */
                    altitude?: number;
                    /**
                     * @description Factor that elevations are multiplied by
                     * @default 1
                     */
                    z_factor?: number;
                    /** @description Units of elevation in one unit of the CRS, such as 111120 for metres and degrees. If left out: in degrees, metres at the latitude of the centre; otherwise 1 */
                    scale?: number;
                    /**
                     * @description Combine light from 225, 270, 315 and 360 degrees instead of one azimuth
                     * @default false
                     */
                    multidirectional?: boolean;
                };
            };
        };
        responses: {
            /** @description The result of the tool. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            /** @description Storage key of the output file */
                            key: string;
                            /** @description Name of the output file */
                            outputFilename?: string;
                            /** @description Artifact id of the output file */
                            artifactId?: string;
                            /** @description Storage key of the first input file */
                            inputKey?: string;
                            /** @description CRS of the result, as EPSG:n or WKT */
                            crs: string | null;
                            /** @description Columns */
                            width: number;
                            /** @description Rows */
                            height: number;
                            /** @description Cells of the result that have a value */
                            validCells: number;
                            /** @description Units of elevation in one unit of the CRS from west to east */
                            scaleX: number;
                            /** @description Units of elevation in one unit of the CRS from south to north */
                            scaleY: number;
                            /** @description Notes about the conversion, for example dropped attributes or shortened names */
                            warnings?: string[];
                            usage: components["schemas"]["Usage"];
                        };
                    };
                };
            };
            /** @description The job was accepted. `Location` is the URL of its status. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "JOB_ACCEPTED";
                        data: components["schemas"]["Job"];
                    };
                };
            };
            /** @description The request is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise does not have enough credits left for this period. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The application of this key pair is not allowed to run this tool. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A request with this Idempotency-Key is still running; retry when it has finished. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A file exceeds the size limit. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported media type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A field is invalid. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool failed. No credits were charged. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too many calls are waiting; retry later. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool exceeded its time limit and was stopped. No credits were charged. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Stored files and layers exceed the storage quota; delete some of them first. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    rasterRasterInspect: {
        parameters: {
            query?: never;
            header?: {
                /** @description E-mail address of the member to attribute the run to. Default: the owner of the organization. */
                "X-Api-User"?: string;
                /** @description Makes the call safe to retry. For 24 hours, a repeat with the same key returns the first result without running the tool or charging credits again. */
                "Idempotency-Key"?: string;
                /** @description `respond-async` runs the tool as a job and returns 202 immediately. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description The raster: GeoTIFF */
                    file: string | components["schemas"]["StoredKey"];
                };
            };
        };
        responses: {
            /** @description The result of the tool. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            /** @description Storage key of the first input file */
                            inputKey?: string;
                            /** @description Storage key of the preview image */
                            previewKey: string;
                            /** @description The preview image: PNG in base64 */
                            previewPngB64: string;
                            /** @description CRS as EPSG:n, or its WKT */
                            crs: string | null;
                            /** @description Columns */
                            width: number;
                            /** @description Rows */
                            height: number;
                            /** @description Bands */
                            bandCount: number;
                            /** @description Cell size in units of the CRS */
                            resolution: {
                                x: number;
                                y: number;
                                unit: string | null;
                            } | null;
                            /** @description minX, minY, maxX, maxY in the CRS of the raster */
                            bounds: number[] | null;
                            /** @description West, south, east, north in degrees */
                            boundsWgs84: number[] | null;
                            /** @description Compression, NONE for none */
                            compression: string;
                            /** @description Tiles instead of strips */
                            tiled: boolean;
                            /** @description Overviews */
                            overviewCount: number;
                            /** @description Each band, with statistics of its valid cells as stored, before scale and offset, and a histogram of 256 buckets */
                            bands: {
                                band: number;
                                description: string | null;
                                dataType: string;
                                colorInterpretation: string;
                                nodata: (number | "NaN") | null;
                                masked: boolean;
                                scale: number;
                                offset: number;
                                unit: string | null;
                                colorTable: number | null;
                                validCount: number;
                                validPercent: number;
                                min: number | null;
                                max: number | null;
                                mean: number | null;
                                stdDev: number | null;
                                histogram: {
                                    min: number;
                                    max: number;
                                    counts: number[];
                                } | null;
                            }[];
                            /** @description Notes about the conversion, for example dropped attributes or shortened names */
                            warnings?: string[];
                            usage: components["schemas"]["Usage"];
                        };
                    };
                };
            };
            /** @description The job was accepted. `Location` is the URL of its status. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "JOB_ACCEPTED";
                        data: components["schemas"]["Job"];
                    };
                };
            };
            /** @description The request is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise does not have enough credits left for this period. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The application of this key pair is not allowed to run this tool. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A request with this Idempotency-Key is still running; retry when it has finished. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A file exceeds the size limit. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported media type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A field is invalid. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool failed. No credits were charged. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too many calls are waiting; retry later. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool exceeded its time limit and was stopped. No credits were charged. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Stored files and layers exceed the storage quota; delete some of them first. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    rasterZonalStats: {
        parameters: {
            query?: never;
            header?: {
                /** @description E-mail address of the member to attribute the run to. Default: the owner of the organization. */
                "X-Api-User"?: string;
                /** @description Makes the call safe to retry. For 24 hours, a repeat with the same key returns the first result without running the tool or charging credits again. */
                "Idempotency-Key"?: string;
                /** @description `respond-async` runs the tool as a job and returns 202 immediately. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description The zones: polygons in any vector format and CRS */
                    file: string | components["schemas"]["StoredKey"];
                    /** @description The raster: GeoTIFF */
                    raster: string | components["schemas"]["StoredKey"];
                    /**
                     * @description Format of the result. GeoJSON, KML, KMZ and GeoParquet use WGS 84; all others keep the CRS of the file
                     * @enum {string}
                     */
                    target_format: "geojson" | "shp" | "kml" | "gml" | "gpkg" | "fgb" | "kmz" | "parquet";
                    /** @description Decimals of the coordinates of the result, in units of its CRS. Without it GeoJSON has 9 and other formats keep all */
                    coordinate_precision?: number;
                    /**
                     * @description Band of the raster
                     * @default 1
                     */
                    band?: number;
                    /** @description The statistics to compute, each with a column */
                    stats: string;
                };
            };
        };
        responses: {
            /** @description The result of the tool. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            /** @description Storage key of the output file */
                            key: string;
                            /** @description Name of the output file */
                            outputFilename?: string;
                            /** @description Artifact id of the output file */
                            artifactId?: string;
                            /** @description Storage key of the first input file */
                            inputKey?: string;
                            /** @description Features in the result */
                            featureCount: number;
                            /** @description CRS of the result, as EPSG:n */
                            crs: string;
                            /** @description Type of its geometries */
                            geometryType: string;
                            /** @description Features in the file */
                            inputFeatureCount: number;
                            /** @description Zones */
                            zones: number;
                            /** @description Zones with at least one valid cell */
                            zonesWithData: number;
                            /** @description Band of the raster */
                            band: number;
                            /** @description Statistics in the order of the columns */
                            stats: string[];
                            /** @description Notes about the conversion, for example dropped attributes or shortened names */
                            warnings?: string[];
                            usage: components["schemas"]["Usage"];
                        };
                    };
                };
            };
            /** @description The job was accepted. `Location` is the URL of its status. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "JOB_ACCEPTED";
                        data: components["schemas"]["Job"];
                    };
                };
            };
            /** @description The request is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise does not have enough credits left for this period. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The application of this key pair is not allowed to run this tool. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A request with this Idempotency-Key is still running; retry when it has finished. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A file exceeds the size limit. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported media type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A field is invalid. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool failed. No credits were charged. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too many calls are waiting; retry later. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool exceeded its time limit and was stopped. No credits were charged. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Stored files and layers exceed the storage quota; delete some of them first. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    vectorAreaLength: {
        parameters: {
            query?: never;
            header?: {
                /** @description E-mail address of the member to attribute the run to. Default: the owner of the organization. */
                "X-Api-User"?: string;
                /** @description Makes the call safe to retry. For 24 hours, a repeat with the same key returns the first result without running the tool or charging credits again. */
                "Idempotency-Key"?: string;
                /** @description `respond-async` runs the tool as a job and returns 202 immediately. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description The layer: GeoJSON, zipped shapefile, KML, KMZ, GML, GeoPackage, FlatGeobuf, GeoParquet or CSV with coordinates */
                    file: string | components["schemas"]["StoredKey"];
                    /**
                     * @description Format of the result. GeoJSON, KML, KMZ and GeoParquet use WGS 84; all others keep the CRS of the file
                     * @enum {string}
                     */
                    target_format: "geojson" | "shp" | "kml" | "gml" | "gpkg" | "fgb" | "kmz" | "parquet";
                    /** @description Decimals of the coordinates of the result, in units of its CRS. Without it GeoJSON has 9 and other formats keep all */
                    coordinate_precision?: number;
                };
            };
        };
        responses: {
            /** @description The result of the tool. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            /** @description Storage key of the output file */
                            key: string;
                            /** @description Name of the output file */
                            outputFilename?: string;
                            /** @description Artifact id of the output file */
                            artifactId?: string;
                            /** @description Storage key of the first input file */
                            inputKey?: string;
                            /** @description Features in the result */
                            featureCount: number;
                            /** @description CRS of the result, as EPSG:n */
                            crs: string;
                            /** @description Type of its geometries */
                            geometryType: string;
                            /** @description Features in the file */
                            inputFeatureCount: number;
                            /** @description Area of all polygons in square metres */
                            totalAreaM2: number;
                            /** @description Length of all lines in metres */
                            totalLengthM: number;
                            /** @description Features with an area */
                            measuredAreas: number;
                            /** @description Features with a length */
                            measuredLengths: number;
                            /** @description Notes about the conversion, for example dropped attributes or shortened names */
                            warnings?: string[];
                            usage: components["schemas"]["Usage"];
                        };
                    };
                };
            };
            /** @description The job was accepted. `Location` is the URL of its status. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "JOB_ACCEPTED";
                        data: components["schemas"]["Job"];
                    };
                };
            };
            /** @description The request is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise does not have enough credits left for this period. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The application of this key pair is not allowed to run this tool. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A request with this Idempotency-Key is still running; retry when it has finished. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A file exceeds the size limit. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported media type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A field is invalid. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool failed. No credits were charged. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too many calls are waiting; retry later. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool exceeded its time limit and was stopped. No credits were charged. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Stored files and layers exceed the storage quota; delete some of them first. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    vectorBuffer: {
        parameters: {
            query?: never;
            header?: {
                /** @description E-mail address of the member to attribute the run to. Default: the owner of the organization. */
                "X-Api-User"?: string;
                /** @description Makes the call safe to retry. For 24 hours, a repeat with the same key returns the first result without running the tool or charging credits again. */
                "Idempotency-Key"?: string;
                /** @description `respond-async` runs the tool as a job and returns 202 immediately. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description The layer: GeoJSON, zipped shapefile, KML, KMZ, GML, GeoPackage, FlatGeobuf, GeoParquet or CSV with coordinates */
                    file: string | components["schemas"]["StoredKey"];
                    /**
                     * @description Format of the result. GeoJSON, KML, KMZ and GeoParquet use WGS 84; all others keep the CRS of the file
                     * @enum {string}
                     */
                    target_format: "geojson" | "shp" | "kml" | "gml" | "gpkg" | "fgb" | "kmz" | "parquet";
                    /** @description Decimals of the coordinates of the result, in units of its CRS. Without it GeoJSON has 9 and other formats keep all */
                    coordinate_precision?: number;
                    /**
                     * @description One distance for all features, or a column with the distance of each
                     * @default value
                     * @enum {string}
                     */
                    distance_by?: "value" | "field";
                    /**
                     * @description Distance in the chosen unit; must not be 0
                     * @default 100
                     */
                    distance_m?: number;
                    /** @description Column with the distance of each feature */
                    distance_field?: string;
                    /**
                     * @description Unit of the distance
                     * @default m
                     * @enum {string}
                     */
                    unit?: "m" | "km" | "ft" | "mi";
                    /**
                     * @description Merge all areas into one
                     * @default false
                     */
                    dissolve?: boolean;
                    /**
                     * @description Shape of line ends
                     * @default round
                     * @enum {string}
                     */
                    cap_style?: "round" | "flat" | "square";
                };
            };
        };
        responses: {
            /** @description The result of the tool. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            /** @description Storage key of the output file */
                            key: string;
                            /** @description Name of the output file */
                            outputFilename?: string;
                            /** @description Artifact id of the output file */
                            artifactId?: string;
                            /** @description Storage key of the first input file */
                            inputKey?: string;
                            /** @description Features in the result */
                            featureCount: number;
                            /** @description CRS of the result, as EPSG:n */
                            crs: string;
                            /** @description Type of its geometries */
                            geometryType: string;
                            /** @description Whether the areas were merged */
                            dissolved: boolean;
                            /** @description The distance in metres; null if it comes from a column */
                            distanceM: number | null;
                            /** @description Features that disappeared */
                            droppedCount: number;
                            /** @description Notes about the conversion, for example dropped attributes or shortened names */
                            warnings?: string[];
                            usage: components["schemas"]["Usage"];
                        };
                    };
                };
            };
            /** @description The job was accepted. `Location` is the URL of its status. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "JOB_ACCEPTED";
                        data: components["schemas"]["Job"];
                    };
                };
            };
            /** @description The request is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise does not have enough credits left for this period. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The application of this key pair is not allowed to run this tool. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A request with this Idempotency-Key is still running; retry when it has finished. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A file exceeds the size limit. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported media type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A field is invalid. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool failed. No credits were charged. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too many calls are waiting; retry later. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool exceeded its time limit and was stopped. No credits were charged. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Stored files and layers exceed the storage quota; delete some of them first. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    vectorCentroids: {
        parameters: {
            query?: never;
            header?: {
                /** @description E-mail address of the member to attribute the run to. Default: the owner of the organization. */
                "X-Api-User"?: string;
                /** @description Makes the call safe to retry. For 24 hours, a repeat with the same key returns the first result without running the tool or charging credits again. */
                "Idempotency-Key"?: string;
                /** @description `respond-async` runs the tool as a job and returns 202 immediately. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description The layer: GeoJSON, zipped shapefile, KML, KMZ, GML, GeoPackage, FlatGeobuf, GeoParquet or CSV with coordinates */
                    file: string | components["schemas"]["StoredKey"];
                    /**
                     * @description Format of the result. GeoJSON, KML, KMZ and GeoParquet use WGS 84; all others keep the CRS of the file
                     * @enum {string}
                     */
                    target_format: "geojson" | "shp" | "kml" | "gml" | "gpkg" | "fgb" | "kmz" | "parquet";
                    /** @description Decimals of the coordinates of the result, in units of its CRS. Without it GeoJSON has 9 and other formats keep all */
                    coordinate_precision?: number;
                    /**
                     * @description The centroid, which may be outside of the feature, or a point inside
                     * @default centroid
                     * @enum {string}
                     */
                    method?: "centroid" | "inside";
                };
            };
        };
        responses: {
            /** @description The result of the tool. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            /** @description Storage key of the output file */
                            key: string;
                            /** @description Name of the output file */
                            outputFilename?: string;
                            /** @description Artifact id of the output file */
                            artifactId?: string;
                            /** @description Storage key of the first input file */
                            inputKey?: string;
                            /** @description Features in the result */
                            featureCount: number;
                            /** @description CRS of the result, as EPSG:n */
                            crs: string;
                            /** @description Type of its geometries */
                            geometryType: string;
                            /** @description Type of the geometries in the file */
                            inputGeometryType: string;
                            /** @description Notes about the conversion, for example dropped attributes or shortened names */
                            warnings?: string[];
                            usage: components["schemas"]["Usage"];
                        };
                    };
                };
            };
            /** @description The job was accepted. `Location` is the URL of its status. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "JOB_ACCEPTED";
                        data: components["schemas"]["Job"];
                    };
                };
            };
            /** @description The request is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise does not have enough credits left for this period. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The application of this key pair is not allowed to run this tool. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A request with this Idempotency-Key is still running; retry when it has finished. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A file exceeds the size limit. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported media type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A field is invalid. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool failed. No credits were charged. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too many calls are waiting; retry later. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool exceeded its time limit and was stopped. No credits were charged. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Stored files and layers exceed the storage quota; delete some of them first. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    vectorClip: {
        parameters: {
            query?: never;
            header?: {
                /** @description E-mail address of the member to attribute the run to. Default: the owner of the organization. */
                "X-Api-User"?: string;
                /** @description Makes the call safe to retry. For 24 hours, a repeat with the same key returns the first result without running the tool or charging credits again. */
                "Idempotency-Key"?: string;
                /** @description `respond-async` runs the tool as a job and returns 202 immediately. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description The layer: GeoJSON, zipped shapefile, KML, KMZ, GML, GeoPackage, FlatGeobuf, GeoParquet or CSV with coordinates */
                    file: string | components["schemas"]["StoredKey"];
                    /** @description The boundary, in any CRS: polygons, or also lines for a layer of lines, and points for a layer of points */
                    mask: string | components["schemas"]["StoredKey"];
                    /**
                     * @description Format of the result. GeoJSON, KML, KMZ and GeoParquet use WGS 84; all others keep the CRS of the file
                     * @enum {string}
                     */
                    target_format: "geojson" | "shp" | "kml" | "gml" | "gpkg" | "fgb" | "kmz" | "parquet";
                    /** @description Decimals of the coordinates of the result, in units of its CRS. Without it GeoJSON has 9 and other formats keep all */
                    coordinate_precision?: number;
                };
            };
        };
        responses: {
            /** @description The result of the tool. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            /** @description Storage key of the output file */
                            key: string;
                            /** @description Name of the output file */
                            outputFilename?: string;
                            /** @description Artifact id of the output file */
                            artifactId?: string;
                            /** @description Storage key of the first input file */
                            inputKey?: string;
                            /** @description Features in the result */
                            featureCount: number;
                            /** @description CRS of the result, as EPSG:n */
                            crs: string;
                            /** @description Type of its geometries */
                            geometryType: string;
                            /** @description Features in the file */
                            inputFeatureCount: number;
                            /** @description Features that are completely outside the mask */
                            droppedCount: number;
                            /** @description Notes about the conversion, for example dropped attributes or shortened names */
                            warnings?: string[];
                            usage: components["schemas"]["Usage"];
                        };
                    };
                };
            };
            /** @description The job was accepted. `Location` is the URL of its status. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "JOB_ACCEPTED";
                        data: components["schemas"]["Job"];
                    };
                };
            };
            /** @description The request is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise does not have enough credits left for this period. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The application of this key pair is not allowed to run this tool. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A request with this Idempotency-Key is still running; retry when it has finished. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A file exceeds the size limit. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported media type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A field is invalid. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool failed. No credits were charged. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too many calls are waiting; retry later. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool exceeded its time limit and was stopped. No credits were charged. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Stored files and layers exceed the storage quota; delete some of them first. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    vectorConcaveHull: {
        parameters: {
            query?: never;
            header?: {
                /** @description E-mail address of the member to attribute the run to. Default: the owner of the organization. */
                "X-Api-User"?: string;
                /** @description Makes the call safe to retry. For 24 hours, a repeat with the same key returns the first result without running the tool or charging credits again. */
                "Idempotency-Key"?: string;
                /** @description `respond-async` runs the tool as a job and returns 202 immediately. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description The layer: GeoJSON, zipped shapefile, KML, KMZ, GML, GeoPackage, FlatGeobuf, GeoParquet or CSV with coordinates */
                    file: string | components["schemas"]["StoredKey"];
                    /**
                     * @description Format of the result. GeoJSON, KML, KMZ and GeoParquet use WGS 84; all others keep the CRS of the file
                     * @enum {string}
                     */
                    target_format: "geojson" | "shp" | "kml" | "gml" | "gpkg" | "fgb" | "kmz" | "parquet";
                    /** @description Decimals of the coordinates of the result, in units of its CRS. Without it GeoJSON has 9 and other formats keep all */
                    coordinate_precision?: number;
                    /**
                     * @description How tight: 0.05 follows every inlet, 1 is the convex hull
                     * @default 0.3
                     */
                    ratio?: number;
                };
            };
        };
        responses: {
            /** @description The result of the tool. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            /** @description Storage key of the output file */
                            key: string;
                            /** @description Name of the output file */
                            outputFilename?: string;
                            /** @description Artifact id of the output file */
                            artifactId?: string;
                            /** @description Storage key of the first input file */
                            inputKey?: string;
                            /** @description Features in the result */
                            featureCount: number;
                            /** @description CRS of the result, as EPSG:n */
                            crs: string;
                            /** @description Type of its geometries */
                            geometryType: string;
                            /** @description Features in the file */
                            inputFeatureCount: number;
                            /** @description The ratio used */
                            ratio: number;
                            /** @description Vertices of the hull */
                            hullVertices: number;
                            /** @description Notes about the conversion, for example dropped attributes or shortened names */
                            warnings?: string[];
                            usage: components["schemas"]["Usage"];
                        };
                    };
                };
            };
            /** @description The job was accepted. `Location` is the URL of its status. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "JOB_ACCEPTED";
                        data: components["schemas"]["Job"];
                    };
                };
            };
            /** @description The request is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise does not have enough credits left for this period. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The application of this key pair is not allowed to run this tool. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A request with this Idempotency-Key is still running; retry when it has finished. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A file exceeds the size limit. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported media type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A field is invalid. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool failed. No credits were charged. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too many calls are waiting; retry later. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool exceeded its time limit and was stopped. No credits were charged. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Stored files and layers exceed the storage quota; delete some of them first. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    vectorConvexHull: {
        parameters: {
            query?: never;
            header?: {
                /** @description E-mail address of the member to attribute the run to. Default: the owner of the organization. */
                "X-Api-User"?: string;
                /** @description Makes the call safe to retry. For 24 hours, a repeat with the same key returns the first result without running the tool or charging credits again. */
                "Idempotency-Key"?: string;
                /** @description `respond-async` runs the tool as a job and returns 202 immediately. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description The layer: GeoJSON, zipped shapefile, KML, KMZ, GML, GeoPackage, FlatGeobuf, GeoParquet or CSV with coordinates */
                    file: string | components["schemas"]["StoredKey"];
                    /**
                     * @description Format of the result. GeoJSON, KML, KMZ and GeoParquet use WGS 84; all others keep the CRS of the file
                     * @enum {string}
                     */
                    target_format: "geojson" | "shp" | "kml" | "gml" | "gpkg" | "fgb" | "kmz" | "parquet";
                    /** @description Decimals of the coordinates of the result, in units of its CRS. Without it GeoJSON has 9 and other formats keep all */
                    coordinate_precision?: number;
                };
            };
        };
        responses: {
            /** @description The result of the tool. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            /** @description Storage key of the output file */
                            key: string;
                            /** @description Name of the output file */
                            outputFilename?: string;
                            /** @description Artifact id of the output file */
                            artifactId?: string;
                            /** @description Storage key of the first input file */
                            inputKey?: string;
                            /** @description Features in the result */
                            featureCount: number;
                            /** @description CRS of the result, as EPSG:n */
                            crs: string;
                            /** @description Type of its geometries */
                            geometryType: string;
                            /** @description Features in the file */
                            inputFeatureCount: number;
                            /** @description Vertices of the hull */
                            hullVertices: number;
                            /** @description Notes about the conversion, for example dropped attributes or shortened names */
                            warnings?: string[];
                            usage: components["schemas"]["Usage"];
                        };
                    };
                };
            };
            /** @description The job was accepted. `Location` is the URL of its status. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "JOB_ACCEPTED";
                        data: components["schemas"]["Job"];
                    };
                };
            };
            /** @description The request is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise does not have enough credits left for this period. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The application of this key pair is not allowed to run this tool. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A request with this Idempotency-Key is still running; retry when it has finished. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A file exceeds the size limit. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported media type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A field is invalid. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool failed. No credits were charged. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too many calls are waiting; retry later. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool exceeded its time limit and was stopped. No credits were charged. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Stored files and layers exceed the storage quota; delete some of them first. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    vectorDissolve: {
        parameters: {
            query?: never;
            header?: {
                /** @description E-mail address of the member to attribute the run to. Default: the owner of the organization. */
                "X-Api-User"?: string;
                /** @description Makes the call safe to retry. For 24 hours, a repeat with the same key returns the first result without running the tool or charging credits again. */
                "Idempotency-Key"?: string;
                /** @description `respond-async` runs the tool as a job and returns 202 immediately. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description The layer: GeoJSON, zipped shapefile, KML, KMZ, GML, GeoPackage, FlatGeobuf, GeoParquet or CSV with coordinates */
                    file: string | components["schemas"]["StoredKey"];
                    /**
                     * @description Format of the result. GeoJSON, KML, KMZ and GeoParquet use WGS 84; all others keep the CRS of the file
                     * @enum {string}
                     */
                    target_format: "geojson" | "shp" | "kml" | "gml" | "gpkg" | "fgb" | "kmz" | "parquet";
                    /** @description Decimals of the coordinates of the result, in units of its CRS. Without it GeoJSON has 9 and other formats keep all */
                    coordinate_precision?: number;
                    /** @description Column to group by; without it all features are one group */
                    by?: string;
                    /**
                     * @description Aggregate that is computed for each group
                     * @default count
                     * @enum {string}
                     */
                    agg?: "count" | "sum" | "mean" | "min" | "max";
                    /** @description Column of numbers for sum, mean, min and max */
                    agg_field?: string;
                };
            };
        };
        responses: {
            /** @description The result of the tool. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            /** @description Storage key of the output file */
                            key: string;
                            /** @description Name of the output file */
                            outputFilename?: string;
                            /** @description Artifact id of the output file */
                            artifactId?: string;
                            /** @description Storage key of the first input file */
                            inputKey?: string;
                            /** @description Features in the result */
                            featureCount: number;
                            /** @description CRS of the result, as EPSG:n */
                            crs: string;
                            /** @description Type of its geometries */
                            geometryType: string;
                            /** @description Features in the file */
                            inputFeatureCount: number;
                            /** @description Groups */
                            groups: number;
                            /** @description The column to group by; null for a single group */
                            groupField: string | null;
                            /** @description Notes about the conversion, for example dropped attributes or shortened names */
                            warnings?: string[];
                            usage: components["schemas"]["Usage"];
                        };
                    };
                };
            };
            /** @description The job was accepted. `Location` is the URL of its status. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "JOB_ACCEPTED";
                        data: components["schemas"]["Job"];
                    };
                };
            };
            /** @description The request is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise does not have enough credits left for this period. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The application of this key pair is not allowed to run this tool. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A request with this Idempotency-Key is still running; retry when it has finished. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A file exceeds the size limit. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported media type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A field is invalid. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool failed. No credits were charged. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too many calls are waiting; retry later. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool exceeded its time limit and was stopped. No credits were charged. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Stored files and layers exceed the storage quota; delete some of them first. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    vectorErase: {
        parameters: {
            query?: never;
            header?: {
                /** @description E-mail address of the member to attribute the run to. Default: the owner of the organization. */
                "X-Api-User"?: string;
                /** @description Makes the call safe to retry. For 24 hours, a repeat with the same key returns the first result without running the tool or charging credits again. */
                "Idempotency-Key"?: string;
                /** @description `respond-async` runs the tool as a job and returns 202 immediately. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description The layer: GeoJSON, zipped shapefile, KML, KMZ, GML, GeoPackage, FlatGeobuf, GeoParquet or CSV with coordinates */
                    file: string | components["schemas"]["StoredKey"];
                    /** @description The boundary, in any CRS: polygons, or also lines for a layer of lines, and points for a layer of points */
                    mask: string | components["schemas"]["StoredKey"];
                    /**
                     * @description Format of the result. GeoJSON, KML, KMZ and GeoParquet use WGS 84; all others keep the CRS of the file
                     * @enum {string}
                     */
                    target_format: "geojson" | "shp" | "kml" | "gml" | "gpkg" | "fgb" | "kmz" | "parquet";
                    /** @description Decimals of the coordinates of the result, in units of its CRS. Without it GeoJSON has 9 and other formats keep all */
                    coordinate_precision?: number;
                };
            };
        };
        responses: {
            /** @description The result of the tool. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            /** @description Storage key of the output file */
                            key: string;
                            /** @description Name of the output file */
                            outputFilename?: string;
                            /** @description Artifact id of the output file */
                            artifactId?: string;
                            /** @description Storage key of the first input file */
                            inputKey?: string;
                            /** @description Features in the result */
                            featureCount: number;
                            /** @description CRS of the result, as EPSG:n */
                            crs: string;
                            /** @description Type of its geometries */
                            geometryType: string;
                            /** @description Features in the file */
                            inputFeatureCount: number;
                            /** @description Features that are completely inside the mask */
                            droppedCount: number;
                            /** @description Notes about the conversion, for example dropped attributes or shortened names */
                            warnings?: string[];
                            usage: components["schemas"]["Usage"];
                        };
                    };
                };
            };
            /** @description The job was accepted. `Location` is the URL of its status. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "JOB_ACCEPTED";
                        data: components["schemas"]["Job"];
                    };
                };
            };
            /** @description The request is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise does not have enough credits left for this period. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The application of this key pair is not allowed to run this tool. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A request with this Idempotency-Key is still running; retry when it has finished. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A file exceeds the size limit. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported media type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A field is invalid. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool failed. No credits were charged. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too many calls are waiting; retry later. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool exceeded its time limit and was stopped. No credits were charged. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Stored files and layers exceed the storage quota; delete some of them first. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    vectorExplode: {
        parameters: {
            query?: never;
            header?: {
                /** @description E-mail address of the member to attribute the run to. Default: the owner of the organization. */
                "X-Api-User"?: string;
                /** @description Makes the call safe to retry. For 24 hours, a repeat with the same key returns the first result without running the tool or charging credits again. */
                "Idempotency-Key"?: string;
                /** @description `respond-async` runs the tool as a job and returns 202 immediately. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description The layer: GeoJSON, zipped shapefile, KML, KMZ, GML, GeoPackage, FlatGeobuf, GeoParquet or CSV with coordinates */
                    file: string | components["schemas"]["StoredKey"];
                    /**
                     * @description Format of the result. GeoJSON, KML, KMZ and GeoParquet use WGS 84; all others keep the CRS of the file
                     * @enum {string}
                     */
                    target_format: "geojson" | "shp" | "kml" | "gml" | "gpkg" | "fgb" | "kmz" | "parquet";
                    /** @description Decimals of the coordinates of the result, in units of its CRS. Without it GeoJSON has 9 and other formats keep all */
                    coordinate_precision?: number;
                };
            };
        };
        responses: {
            /** @description The result of the tool. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            /** @description Storage key of the output file */
                            key: string;
                            /** @description Name of the output file */
                            outputFilename?: string;
                            /** @description Artifact id of the output file */
                            artifactId?: string;
                            /** @description Storage key of the first input file */
                            inputKey?: string;
                            /** @description Features in the result */
                            featureCount: number;
                            /** @description CRS of the result, as EPSG:n */
                            crs: string;
                            /** @description Type of its geometries */
                            geometryType: string;
                            /** @description Features in the file */
                            inputFeatureCount: number;
                            /** @description Multi-part features */
                            multipartCount: number;
                            /** @description Features made from their parts */
                            partsCreated: number;
                            /** @description Notes about the conversion, for example dropped attributes or shortened names */
                            warnings?: string[];
                            usage: components["schemas"]["Usage"];
                        };
                    };
                };
            };
            /** @description The job was accepted. `Location` is the URL of its status. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "JOB_ACCEPTED";
                        data: components["schemas"]["Job"];
                    };
                };
            };
            /** @description The request is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise does not have enough credits left for this period. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The application of this key pair is not allowed to run this tool. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A request with this Idempotency-Key is still running; retry when it has finished. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A file exceeds the size limit. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported media type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A field is invalid. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool failed. No credits were charged. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too many calls are waiting; retry later. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool exceeded its time limit and was stopped. No credits were charged. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Stored files and layers exceed the storage quota; delete some of them first. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    vectorGrid: {
        parameters: {
            query?: never;
            header?: {
                /** @description E-mail address of the member to attribute the run to. Default: the owner of the organization. */
                "X-Api-User"?: string;
                /** @description Makes the call safe to retry. For 24 hours, a repeat with the same key returns the first result without running the tool or charging credits again. */
                "Idempotency-Key"?: string;
                /** @description `respond-async` runs the tool as a job and returns 202 immediately. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description The layer: GeoJSON, zipped shapefile, KML, KMZ, GML, GeoPackage, FlatGeobuf, GeoParquet or CSV with coordinates */
                    file: string | components["schemas"]["StoredKey"];
                    /**
                     * @description Format of the result. GeoJSON, KML, KMZ and GeoParquet use WGS 84; all others keep the CRS of the file
                     * @enum {string}
                     */
                    target_format: "geojson" | "shp" | "kml" | "gml" | "gpkg" | "fgb" | "kmz" | "parquet";
                    /** @description Decimals of the coordinates of the result, in units of its CRS. Without it GeoJSON has 9 and other formats keep all */
                    coordinate_precision?: number;
                    /**
                     * @description Side of a cell in metres
                     * @default 1000
                     */
                    cell_size_m?: number;
                    /**
                     * @description Clip the last row and column at the extent
                     * @default false
                     */
                    clip_to_extent?: boolean;
                };
            };
        };
        responses: {
            /** @description The result of the tool. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            /** @description Storage key of the output file */
                            key: string;
                            /** @description Name of the output file */
                            outputFilename?: string;
                            /** @description Artifact id of the output file */
                            artifactId?: string;
                            /** @description Storage key of the first input file */
                            inputKey?: string;
                            /** @description Features in the result */
                            featureCount: number;
                            /** @description CRS of the result, as EPSG:n */
                            crs: string;
                            /** @description Type of its geometries */
                            geometryType: string;
                            /** @description Features in the file */
                            inputFeatureCount: number;
                            /** @description Rows */
                            rows: number;
                            /** @description Columns */
                            cols: number;
                            /** @description Side of a cell in metres */
                            cellSizeM: number;
                            /** @description Notes about the conversion, for example dropped attributes or shortened names */
                            warnings?: string[];
                            usage: components["schemas"]["Usage"];
                        };
                    };
                };
            };
            /** @description The job was accepted. `Location` is the URL of its status. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "JOB_ACCEPTED";
                        data: components["schemas"]["Job"];
                    };
                };
            };
            /** @description The request is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise does not have enough credits left for this period. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The application of this key pair is not allowed to run this tool. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A request with this Idempotency-Key is still running; retry when it has finished. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A file exceeds the size limit. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported media type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A field is invalid. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool failed. No credits were charged. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too many calls are waiting; retry later. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool exceeded its time limit and was stopped. No credits were charged. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Stored files and layers exceed the storage quota; delete some of them first. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    vectorInsideCheck: {
        parameters: {
            query?: never;
            header?: {
                /** @description E-mail address of the member to attribute the run to. Default: the owner of the organization. */
                "X-Api-User"?: string;
                /** @description Makes the call safe to retry. For 24 hours, a repeat with the same key returns the first result without running the tool or charging credits again. */
                "Idempotency-Key"?: string;
                /** @description `respond-async` runs the tool as a job and returns 202 immediately. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description The layer: GeoJSON, zipped shapefile, KML, KMZ, GML, GeoPackage, FlatGeobuf, GeoParquet or CSV with coordinates */
                    file: string | components["schemas"]["StoredKey"];
                    /** @description The reference polygons, in any CRS */
                    reference: string | components["schemas"]["StoredKey"];
                    /**
                     * @description When a feature passes: completely inside, partly inside, or inside by at least a percentage
                     * @default inside
                     * @enum {string}
                     */
                    rule?: "inside" | "partly" | "percent";
                    /** @description The percentage that must be inside */
                    percent?: number;
                    /** @description Columns of the reference to return */
                    reference_fields?: string;
                };
            };
        };
        responses: {
            /** @description The result of the tool. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            /** @description Storage key of the first input file */
                            inputKey?: string;
                            /** @description Whether every feature passes */
                            passed: boolean;
                            /** @description Number of features by relation, and of those that pass */
                            counts: {
                                inside: number;
                                partial: number;
                                outside: number;
                                passed: number;
                            };
                            /** @description For each feature: id is that of the feature, if it has one; relation is inside, partial or outside; reference contains the columns of the reference feature with the largest overlap */
                            results: {
                                index: number;
                                id?: string | number;
                                /** @enum {string} */
                                relation: "inside" | "partial" | "outside";
                                percentInside: number;
                                pass: boolean;
                                matchCount: number;
                                reference: {
                                    [key: string]: unknown;
                                };
                            }[];
                            /** @description Notes about the conversion, for example dropped attributes or shortened names */
                            warnings?: string[];
                            usage: components["schemas"]["Usage"];
                        };
                    };
                };
            };
            /** @description The job was accepted. `Location` is the URL of its status. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "JOB_ACCEPTED";
                        data: components["schemas"]["Job"];
                    };
                };
            };
            /** @description The request is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise does not have enough credits left for this period. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The application of this key pair is not allowed to run this tool. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A request with this Idempotency-Key is still running; retry when it has finished. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A file exceeds the size limit. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported media type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A field is invalid. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool failed. No credits were charged. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too many calls are waiting; retry later. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool exceeded its time limit and was stopped. No credits were charged. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Stored files and layers exceed the storage quota; delete some of them first. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    vectorIntersect: {
        parameters: {
            query?: never;
            header?: {
                /** @description E-mail address of the member to attribute the run to. Default: the owner of the organization. */
                "X-Api-User"?: string;
                /** @description Makes the call safe to retry. For 24 hours, a repeat with the same key returns the first result without running the tool or charging credits again. */
                "Idempotency-Key"?: string;
                /** @description `respond-async` runs the tool as a job and returns 202 immediately. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description The layer: GeoJSON, zipped shapefile, KML, KMZ, GML, GeoPackage, FlatGeobuf, GeoParquet or CSV with coordinates */
                    file: string | components["schemas"]["StoredKey"];
                    /** @description The other layer, in any CRS */
                    overlay: string | components["schemas"]["StoredKey"];
                    /**
                     * @description Format of the result. GeoJSON, KML, KMZ and GeoParquet use WGS 84; all others keep the CRS of the file
                     * @enum {string}
                     */
                    target_format: "geojson" | "shp" | "kml" | "gml" | "gpkg" | "fgb" | "kmz" | "parquet";
                    /** @description Decimals of the coordinates of the result, in units of its CRS. Without it GeoJSON has 9 and other formats keep all */
                    coordinate_precision?: number;
                };
            };
        };
        responses: {
            /** @description The result of the tool. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            /** @description Storage key of the output file */
                            key: string;
                            /** @description Name of the output file */
                            outputFilename?: string;
                            /** @description Artifact id of the output file */
                            artifactId?: string;
                            /** @description Storage key of the first input file */
                            inputKey?: string;
                            /** @description Features in the result */
                            featureCount: number;
                            /** @description CRS of the result, as EPSG:n */
                            crs: string;
                            /** @description Type of its geometries */
                            geometryType: string;
                            /** @description Features in the file */
                            inputFeatureCount: number;
                            /** @description Features of the other layer */
                            overlayFeatureCount: number;
                            /** @description Notes about the conversion, for example dropped attributes or shortened names */
                            warnings?: string[];
                            usage: components["schemas"]["Usage"];
                        };
                    };
                };
            };
            /** @description The job was accepted. `Location` is the URL of its status. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "JOB_ACCEPTED";
                        data: components["schemas"]["Job"];
                    };
                };
            };
            /** @description The request is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise does not have enough credits left for this period. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The application of this key pair is not allowed to run this tool. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A request with this Idempotency-Key is still running; retry when it has finished. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A file exceeds the size limit. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported media type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A field is invalid. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool failed. No credits were charged. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too many calls are waiting; retry later. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool exceeded its time limit and was stopped. No credits were charged. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Stored files and layers exceed the storage quota; delete some of them first. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    vectorLineToPolygon: {
        parameters: {
            query?: never;
            header?: {
                /** @description E-mail address of the member to attribute the run to. Default: the owner of the organization. */
                "X-Api-User"?: string;
                /** @description Makes the call safe to retry. For 24 hours, a repeat with the same key returns the first result without running the tool or charging credits again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Positions as [longitude, latitude], at least three */
                    coordinates: number[][];
                };
            };
        };
        responses: {
            /** @description The result of the tool. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            /** @description The polygon as a GeoJSON geometry */
                            polygon: {
                                /** @constant */
                                type: "Polygon";
                                coordinates: number[][][];
                            };
                            /** @description Its size and shape */
                            stats: {
                                /** @description Area on the ellipsoid in square metres */
                                areaM2: number;
                                /** @description Perimeter on the ellipsoid in metres */
                                perimeterM: number;
                                /** @description Vertices of the outer ring */
                                vertexCount: number;
                                /** @description 4π area / perimeter², 1 for a circle */
                                compactness: number;
                                /** @description [longitude, latitude] of the centroid */
                                centroid: number[] | null;
                                /** @description [west, south, east, north] */
                                bbox: number[];
                                /** @description Whether the ring does not intersect itself */
                                isValid: boolean;
                                /** @description Whether it is convex */
                                isConvex: boolean;
                                /** @description clockwise or counterclockwise */
                                orientation: string;
                            };
                            /** @description Notes about the conversion, for example dropped attributes or shortened names */
                            warnings?: string[];
                            usage: components["schemas"]["Usage"];
                        };
                    };
                };
            };
            /** @description The request is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise does not have enough credits left for this period. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The application of this key pair is not allowed to run this tool. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A request with this Idempotency-Key is still running; retry when it has finished. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A file exceeds the size limit. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported media type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A field is invalid. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool failed. No credits were charged. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too many calls are waiting; retry later. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool exceeded its time limit and was stopped. No credits were charged. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Stored files and layers exceed the storage quota; delete some of them first. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    vectorLineToPolygonFile: {
        parameters: {
            query?: never;
            header?: {
                /** @description E-mail address of the member to attribute the run to. Default: the owner of the organization. */
                "X-Api-User"?: string;
                /** @description Makes the call safe to retry. For 24 hours, a repeat with the same key returns the first result without running the tool or charging credits again. */
                "Idempotency-Key"?: string;
                /** @description `respond-async` runs the tool as a job and returns 202 immediately. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description The layer: GeoJSON, zipped shapefile, KML, KMZ, GML, GeoPackage, FlatGeobuf, GeoParquet or CSV with coordinates */
                    file: string | components["schemas"]["StoredKey"];
                };
            };
        };
        responses: {
            /** @description The result of the tool. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            /** @description Storage key of the output file */
                            key: string;
                            /** @description Name of the output file */
                            outputFilename?: string;
                            /** @description Artifact id of the output file */
                            artifactId?: string;
                            /** @description Storage key of the first input file */
                            inputKey?: string;
                            /** @description Features in the result */
                            featureCount: number;
                            /** @description CRS of the result, as EPSG:n */
                            crs: string;
                            /** @description Type of its geometries */
                            geometryType: string;
                            /** @description Totals, and the measures of each of the first thousand polygons */
                            stats: {
                                polygonCount: number;
                                areaM2: number;
                                perimeterM: number;
                                polygons: {
                                    /** @description Area on the ellipsoid in square metres */
                                    areaM2: number;
                                    /** @description Perimeter on the ellipsoid in metres */
                                    perimeterM: number;
                                    /** @description Vertices of the outer ring */
                                    vertexCount: number;
                                    /** @description 4π area / perimeter², 1 for a circle */
                                    compactness: number;
                                    /** @description [longitude, latitude] of the centroid */
                                    centroid: number[] | null;
                                    /** @description [west, south, east, north] */
                                    bbox: number[];
                                    /** @description Whether the ring does not intersect itself */
                                    isValid: boolean;
                                    /** @description Whether it is convex */
                                    isConvex: boolean;
                                    /** @description clockwise or counterclockwise */
                                    orientation: string;
                                }[];
                            };
                            /** @description Notes about the conversion, for example dropped attributes or shortened names */
                            warnings?: string[];
                            usage: components["schemas"]["Usage"];
                        };
                    };
                };
            };
            /** @description The job was accepted. `Location` is the URL of its status. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "JOB_ACCEPTED";
                        data: components["schemas"]["Job"];
                    };
                };
            };
            /** @description The request is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise does not have enough credits left for this period. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The application of this key pair is not allowed to run this tool. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A request with this Idempotency-Key is still running; retry when it has finished. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A file exceeds the size limit. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported media type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A field is invalid. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool failed. No credits were charged. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too many calls are waiting; retry later. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool exceeded its time limit and was stopped. No credits were charged. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Stored files and layers exceed the storage quota; delete some of them first. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    vectorMerge: {
        parameters: {
            query?: never;
            header?: {
                /** @description E-mail address of the member to attribute the run to. Default: the owner of the organization. */
                "X-Api-User"?: string;
                /** @description Makes the call safe to retry. For 24 hours, a repeat with the same key returns the first result without running the tool or charging credits again. */
                "Idempotency-Key"?: string;
                /** @description `respond-async` runs the tool as a job and returns 202 immediately. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description Two to five layers */
                    files: (string | components["schemas"]["StoredKey"])[];
                    /**
                     * @description Format of the result. GeoJSON, KML, KMZ and GeoParquet use WGS 84; all others keep the CRS of the file
                     * @enum {string}
                     */
                    target_format: "geojson" | "shp" | "kml" | "gml" | "gpkg" | "fgb" | "kmz" | "parquet";
                    /** @description Decimals of the coordinates of the result, in units of its CRS. Without it GeoJSON has 9 and other formats keep all */
                    coordinate_precision?: number;
                };
            };
        };
        responses: {
            /** @description The result of the tool. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            /** @description Storage key of the output file */
                            key: string;
                            /** @description Name of the output file */
                            outputFilename?: string;
                            /** @description Artifact id of the output file */
                            artifactId?: string;
                            /** @description Storage key of the first input file */
                            inputKey?: string;
                            /** @description Storage keys of the input files */
                            inputKeys?: string[];
                            /** @description Features in the result */
                            featureCount: number;
                            /** @description CRS of the result, as EPSG:n */
                            crs: string;
                            /** @description Type of its geometries */
                            geometryType: string;
                            /** @description Files that were merged */
                            fileCount: number;
                            /** @description Notes about the conversion, for example dropped attributes or shortened names */
                            warnings?: string[];
                            usage: components["schemas"]["Usage"];
                        };
                    };
                };
            };
            /** @description The job was accepted. `Location` is the URL of its status. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "JOB_ACCEPTED";
                        data: components["schemas"]["Job"];
                    };
                };
            };
            /** @description The request is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise does not have enough credits left for this period. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The application of this key pair is not allowed to run this tool. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A request with this Idempotency-Key is still running; retry when it has finished. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A file exceeds the size limit. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported media type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A field is invalid. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool failed. No credits were charged. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too many calls are waiting; retry later. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool exceeded its time limit and was stopped. No credits were charged. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Stored files and layers exceed the storage quota; delete some of them first. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    vectorRepair: {
        parameters: {
            query?: never;
            header?: {
                /** @description E-mail address of the member to attribute the run to. Default: the owner of the organization. */
                "X-Api-User"?: string;
                /** @description Makes the call safe to retry. For 24 hours, a repeat with the same key returns the first result without running the tool or charging credits again. */
                "Idempotency-Key"?: string;
                /** @description `respond-async` runs the tool as a job and returns 202 immediately. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description The layer: GeoJSON, zipped shapefile, KML, KMZ, GML, GeoPackage, FlatGeobuf, GeoParquet or CSV with coordinates */
                    file: string | components["schemas"]["StoredKey"];
                    /**
                     * @description Format of the result. GeoJSON, KML, KMZ and GeoParquet use WGS 84; all others keep the CRS of the file
                     * @enum {string}
                     */
                    target_format: "geojson" | "shp" | "kml" | "gml" | "gpkg" | "fgb" | "kmz" | "parquet";
                    /** @description Decimals of the coordinates of the result, in units of its CRS. Without it GeoJSON has 9 and other formats keep all */
                    coordinate_precision?: number;
                    /**
                     * @description structure respects which rings are shells and holes and merges overlapping parts; linework makes areas of everything that lines enclose, and holes where parts overlap
                     * @default structure
                     * @enum {string}
                     */
                    method?: "structure" | "linework";
                };
            };
        };
        responses: {
            /** @description The result of the tool. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            /** @description Storage key of the output file */
                            key: string;
                            /** @description Name of the output file */
                            outputFilename?: string;
                            /** @description Artifact id of the output file */
                            artifactId?: string;
                            /** @description Storage key of the first input file */
                            inputKey?: string;
                            /** @description Features in the result */
                            featureCount: number;
                            /** @description CRS of the result, as EPSG:n */
                            crs: string;
                            /** @description Type of its geometries */
                            geometryType: string;
                            /** @description Features in the file */
                            inputFeatureCount: number;
                            /** @description Invalid geometries in the file */
                            invalidBefore: number;
                            /** @description Geometries that are still invalid */
                            invalidAfter: number;
                            /** @description Features left out because they had no geometry or nothing was left of it */
                            droppedCount: number;
                            /** @description Notes about the conversion, for example dropped attributes or shortened names */
                            warnings?: string[];
                            usage: components["schemas"]["Usage"];
                        };
                    };
                };
            };
            /** @description The job was accepted. `Location` is the URL of its status. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "JOB_ACCEPTED";
                        data: components["schemas"]["Job"];
                    };
                };
            };
            /** @description The request is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise does not have enough credits left for this period. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The application of this key pair is not allowed to run this tool. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A request with this Idempotency-Key is still running; retry when it has finished. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A file exceeds the size limit. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported media type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A field is invalid. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool failed. No credits were charged. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too many calls are waiting; retry later. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool exceeded its time limit and was stopped. No credits were charged. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Stored files and layers exceed the storage quota; delete some of them first. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    vectorSimplify: {
        parameters: {
            query?: never;
            header?: {
                /** @description E-mail address of the member to attribute the run to. Default: the owner of the organization. */
                "X-Api-User"?: string;
                /** @description Makes the call safe to retry. For 24 hours, a repeat with the same key returns the first result without running the tool or charging credits again. */
                "Idempotency-Key"?: string;
                /** @description `respond-async` runs the tool as a job and returns 202 immediately. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description The layer: GeoJSON, zipped shapefile, KML, KMZ, GML, GeoPackage, FlatGeobuf, GeoParquet or CSV with coordinates */
                    file: string | components["schemas"]["StoredKey"];
                    /**
                     * @description Format of the result. GeoJSON, KML, KMZ and GeoParquet use WGS 84; all others keep the CRS of the file
                     * @enum {string}
                     */
                    target_format: "geojson" | "shp" | "kml" | "gml" | "gpkg" | "fgb" | "kmz" | "parquet";
                    /** @description Decimals of the coordinates of the result, in units of its CRS. Without it GeoJSON has 9 and other formats keep all */
                    coordinate_precision?: number;
                    /**
                     * @description Tolerance in degrees
                     * @default 0.001
                     */
                    tolerance?: number;
                    /**
                     * @description Keep geometries valid and keep their type
                     * @default true
                     */
                    preserve_topology?: boolean;
                };
            };
        };
        responses: {
            /** @description The result of the tool. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            /** @description Storage key of the output file */
                            key: string;
                            /** @description Name of the output file */
                            outputFilename?: string;
                            /** @description Artifact id of the output file */
                            artifactId?: string;
                            /** @description Storage key of the first input file */
                            inputKey?: string;
                            /** @description Features in the result */
                            featureCount: number;
                            /** @description CRS of the result, as EPSG:n */
                            crs: string;
                            /** @description Type of its geometries */
                            geometryType: string;
                            /** @description Vertices in the file */
                            verticesBefore: number;
                            /** @description Vertices in the result */
                            verticesAfter: number;
                            /** @description Notes about the conversion, for example dropped attributes or shortened names */
                            warnings?: string[];
                            usage: components["schemas"]["Usage"];
                        };
                    };
                };
            };
            /** @description The job was accepted. `Location` is the URL of its status. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "JOB_ACCEPTED";
                        data: components["schemas"]["Job"];
                    };
                };
            };
            /** @description The request is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise does not have enough credits left for this period. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The application of this key pair is not allowed to run this tool. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A request with this Idempotency-Key is still running; retry when it has finished. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A file exceeds the size limit. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported media type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A field is invalid. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool failed. No credits were charged. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too many calls are waiting; retry later. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool exceeded its time limit and was stopped. No credits were charged. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Stored files and layers exceed the storage quota; delete some of them first. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    vectorSpatialJoin: {
        parameters: {
            query?: never;
            header?: {
                /** @description E-mail address of the member to attribute the run to. Default: the owner of the organization. */
                "X-Api-User"?: string;
                /** @description Makes the call safe to retry. For 24 hours, a repeat with the same key returns the first result without running the tool or charging credits again. */
                "Idempotency-Key"?: string;
                /** @description `respond-async` runs the tool as a job and returns 202 immediately. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description The layer: GeoJSON, zipped shapefile, KML, KMZ, GML, GeoPackage, FlatGeobuf, GeoParquet or CSV with coordinates */
                    file: string | components["schemas"]["StoredKey"];
                    /** @description The layer to join from, in any CRS */
                    join: string | components["schemas"]["StoredKey"];
                    /**
                     * @description Format of the result. GeoJSON, KML, KMZ and GeoParquet use WGS 84; all others keep the CRS of the file
                     * @enum {string}
                     */
                    target_format: "geojson" | "shp" | "kml" | "gml" | "gpkg" | "fgb" | "kmz" | "parquet";
                    /** @description Decimals of the coordinates of the result, in units of its CRS. Without it GeoJSON has 9 and other formats keep all */
                    coordinate_precision?: number;
                    /**
                     * @description Spatial relation of a feature to a feature of the other layer
                     * @default intersects
                     * @enum {string}
                     */
                    predicate?: "intersects" | "within" | "contains" | "crosses" | "touches" | "overlaps";
                    /**
                     * @description Leave out features without a match, or keep them
                     * @default inner
                     * @enum {string}
                     */
                    how?: "inner" | "left";
                };
            };
        };
        responses: {
            /** @description The result of the tool. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            /** @description Storage key of the output file */
                            key: string;
                            /** @description Name of the output file */
                            outputFilename?: string;
                            /** @description Artifact id of the output file */
                            artifactId?: string;
                            /** @description Storage key of the first input file */
                            inputKey?: string;
                            /** @description Features in the result */
                            featureCount: number;
                            /** @description CRS of the result, as EPSG:n */
                            crs: string;
                            /** @description Type of its geometries */
                            geometryType: string;
                            /** @description Features in the file */
                            inputFeatureCount: number;
                            /** @description Features of the other layer */
                            joinFeatureCount: number;
                            /** @description Features with at least one match */
                            matchedCount: number;
                            /** @description The spatial relation */
                            predicate: string;
                            /** @description Notes about the conversion, for example dropped attributes or shortened names */
                            warnings?: string[];
                            usage: components["schemas"]["Usage"];
                        };
                    };
                };
            };
            /** @description The job was accepted. `Location` is the URL of its status. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "JOB_ACCEPTED";
                        data: components["schemas"]["Job"];
                    };
                };
            };
            /** @description The request is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise does not have enough credits left for this period. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The application of this key pair is not allowed to run this tool. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A request with this Idempotency-Key is still running; retry when it has finished. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A file exceeds the size limit. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported media type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A field is invalid. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool failed. No credits were charged. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too many calls are waiting; retry later. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool exceeded its time limit and was stopped. No credits were charged. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Stored files and layers exceed the storage quota; delete some of them first. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    vectorUnion: {
        parameters: {
            query?: never;
            header?: {
                /** @description E-mail address of the member to attribute the run to. Default: the owner of the organization. */
                "X-Api-User"?: string;
                /** @description Makes the call safe to retry. For 24 hours, a repeat with the same key returns the first result without running the tool or charging credits again. */
                "Idempotency-Key"?: string;
                /** @description `respond-async` runs the tool as a job and returns 202 immediately. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description The layer: GeoJSON, zipped shapefile, KML, KMZ, GML, GeoPackage, FlatGeobuf, GeoParquet or CSV with coordinates */
                    file: string | components["schemas"]["StoredKey"];
                    /** @description The other layer, with the same kind of geometry, in any CRS */
                    overlay: string | components["schemas"]["StoredKey"];
                    /**
                     * @description Format of the result. GeoJSON, KML, KMZ and GeoParquet use WGS 84; all others keep the CRS of the file
                     * @enum {string}
                     */
                    target_format: "geojson" | "shp" | "kml" | "gml" | "gpkg" | "fgb" | "kmz" | "parquet";
                    /** @description Decimals of the coordinates of the result, in units of its CRS. Without it GeoJSON has 9 and other formats keep all */
                    coordinate_precision?: number;
                };
            };
        };
        responses: {
            /** @description The result of the tool. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            /** @description Storage key of the output file */
                            key: string;
                            /** @description Name of the output file */
                            outputFilename?: string;
                            /** @description Artifact id of the output file */
                            artifactId?: string;
                            /** @description Storage key of the first input file */
                            inputKey?: string;
                            /** @description Features in the result */
                            featureCount: number;
                            /** @description CRS of the result, as EPSG:n */
                            crs: string;
                            /** @description Type of its geometries */
                            geometryType: string;
                            /** @description Features in the file */
                            inputFeatureCount: number;
                            /** @description Features of the other layer */
                            overlayFeatureCount: number;
                            /** @description Notes about the conversion, for example dropped attributes or shortened names */
                            warnings?: string[];
                            usage: components["schemas"]["Usage"];
                        };
                    };
                };
            };
            /** @description The job was accepted. `Location` is the URL of its status. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "JOB_ACCEPTED";
                        data: components["schemas"]["Job"];
                    };
                };
            };
            /** @description The request is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise does not have enough credits left for this period. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The application of this key pair is not allowed to run this tool. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A request with this Idempotency-Key is still running; retry when it has finished. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A file exceeds the size limit. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported media type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A field is invalid. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool failed. No credits were charged. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too many calls are waiting; retry later. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool exceeded its time limit and was stopped. No credits were charged. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Stored files and layers exceed the storage quota; delete some of them first. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    vectorValidate: {
        parameters: {
            query?: never;
            header?: {
                /** @description E-mail address of the member to attribute the run to. Default: the owner of the organization. */
                "X-Api-User"?: string;
                /** @description Makes the call safe to retry. For 24 hours, a repeat with the same key returns the first result without running the tool or charging credits again. */
                "Idempotency-Key"?: string;
                /** @description `respond-async` runs the tool as a job and returns 202 immediately. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description The layer: GeoJSON, zipped shapefile, KML, KMZ, GML, GeoPackage, FlatGeobuf, GeoParquet or CSV with coordinates */
                    file: string | components["schemas"]["StoredKey"];
                    /**
                     * @description Format of the result. GeoJSON, KML, KMZ and GeoParquet use WGS 84; all others keep the CRS of the file
                     * @enum {string}
                     */
                    target_format: "geojson" | "shp" | "kml" | "gml" | "gpkg" | "fgb" | "kmz" | "parquet";
                    /** @description Decimals of the coordinates of the result, in units of its CRS. Without it GeoJSON has 9 and other formats keep all */
                    coordinate_precision?: number;
                };
            };
        };
        responses: {
            /** @description The result of the tool. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            /** @description Storage key of the output file */
                            key: string;
                            /** @description Name of the output file */
                            outputFilename?: string;
                            /** @description Artifact id of the output file */
                            artifactId?: string;
                            /** @description Storage key of the first input file */
                            inputKey?: string;
                            /** @description Features in the result */
                            featureCount: number;
                            /** @description CRS of the result, as EPSG:n */
                            crs: string;
                            /** @description Type of its geometries */
                            geometryType: string;
                            /** @description Features in the file */
                            inputFeatureCount: number;
                            /** @description Valid geometries */
                            validCount: number;
                            /** @description Invalid geometries */
                            invalidCount: number;
                            /** @description Features without a geometry */
                            emptyCount: number;
                            /** @description The first hundred problems: index of the feature from 0, and the reason with its position */
                            problems: {
                                index: number;
                                reason: string;
                            }[];
                            /** @description Notes about the conversion, for example dropped attributes or shortened names */
                            warnings?: string[];
                            usage: components["schemas"]["Usage"];
                        };
                    };
                };
            };
            /** @description The job was accepted. `Location` is the URL of its status. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "JOB_ACCEPTED";
                        data: components["schemas"]["Job"];
                    };
                };
            };
            /** @description The request is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise does not have enough credits left for this period. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The application of this key pair is not allowed to run this tool. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A request with this Idempotency-Key is still running; retry when it has finished. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A file exceeds the size limit. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported media type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A field is invalid. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool failed. No credits were charged. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too many calls are waiting; retry later. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The tool exceeded its time limit and was stopped. No credits were charged. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Stored files and layers exceed the storage quota; delete some of them first. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    listProcesses: {
        parameters: {
            query?: {
                /** @description Language of titles and descriptions. */
                lang?: "en" | "ar";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The process list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProcessList"];
                };
            };
        };
    };
    describeProcess: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The process description. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Process"];
                };
            };
            /** @description The process does not exist, or the key pair may not run it. The body is an exception document. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": unknown;
                };
            };
        };
    };
    listJobs: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                processID?: string;
                status?: string;
                memberId?: string;
                applicationId?: string;
                from?: string;
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of jobs. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            items: components["schemas"]["Job"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise is suspended. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The requested resource does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["Job"];
                    };
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise is suspended. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The requested resource does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    dismissJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["Job"];
                    };
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise is suspended. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The requested resource does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getJobResults: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result of the tool. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            [key: string]: unknown;
                        };
                    };
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise is suspended. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The requested resource does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    listRuns: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                processID?: string;
                status?: string;
                memberId?: string;
                applicationId?: string;
                from?: string;
                to?: string;
                jobs?: "true" | "false";
                named?: "true" | "false";
                q?: string;
                folder?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of runs. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            items: components["schemas"]["ListedRun"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise is suspended. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The requested resource does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    listRunFolders: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The folders. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            items: components["schemas"]["RunFolder"][];
                        };
                    };
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise is suspended. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The requested resource does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The run. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["RunDetail"];
                    };
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise is suspended. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The requested resource does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    nameRun: {
        parameters: {
            query?: never;
            header?: {
                /** @description Tag of the run */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name?: string | null;
                    folder?: string | null;
                };
            };
        };
        responses: {
            /** @description The run. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["RunDetail"];
                    };
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise is suspended. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The requested resource does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The record has changed; see data. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A field is invalid. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getRunResult: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result of the tool. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            [key: string]: unknown;
                        };
                    };
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise is suspended. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The requested resource does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getArtifact: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                artifactId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description The requested range of the file. */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise is suspended. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The requested resource does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description The requested range of the file. */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise is suspended. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The requested resource does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    deleteFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key of the deleted file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            key: string;
                        };
                    };
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise is suspended. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The requested resource does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The request conflicts with the current state of the resource. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    listUploads: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of uploads. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            items: components["schemas"]["Upload"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise is suspended. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    beginUpload: {
        parameters: {
            query?: never;
            header: {
                /** @description Version of the protocol. */
                "Tus-Resumable": "1.0.0";
                /** @description Size of the file in bytes. */
                "Upload-Length": number;
                /** @description `filename` and the base64 of its UTF-8; further pairs are kept for HEAD. */
                "Upload-Metadata"?: string;
                /** @description 0, with the first bytes in the body. */
                "Upload-Offset"?: number;
                /** @description `sha1`, `sha256` or `md5`, a space, and the base64 digest of the body. */
                "Upload-Checksum"?: string;
                /** @description A repeat within 24 hours returns the first upload as it is now. Its body counts if nothing has arrived yet. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/offset+octet-stream": string;
            };
        };
        responses: {
            /** @description The upload has begun. */
            201: {
                headers: {
                    /** @description URL of the upload. */
                    Location?: string;
                    /** @description `1.0.0` */
                    "Tus-Resumable"?: string;
                    /** @description Number of bytes that have arrived. */
                    "Upload-Offset"?: number;
                    /** @description When an upload without further bytes is deleted. */
                    "Upload-Expires"?: string;
                    /** @description Key of the stored file, once the upload is complete and was scanned. */
                    "X-Stored-Key"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "UPLOAD_CREATED";
                        data: components["schemas"]["Upload"];
                    };
                };
            };
            /** @description The request is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise is suspended. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The requested resource does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Tus-Resumable must be 1.0.0. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A file exceeds the size limit. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported media type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A field is invalid. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too many uploads are unfinished; finish or delete some of them first. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The bytes do not match Upload-Checksum; none of them were kept. */
            460: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Stored files and layers exceed the storage quota; delete some of them first. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getUpload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The upload. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["Upload"];
                    };
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise is suspended. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The requested resource does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    endUpload: {
        parameters: {
            query?: never;
            header: {
                /** @description Version of the protocol. */
                "Tus-Resumable": "1.0.0";
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The upload is gone. */
            204: {
                headers: {
                    /** @description `1.0.0` */
                    "Tus-Resumable"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise is suspended. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The requested resource does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Tus-Resumable must be 1.0.0. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getUploadOffset: {
        parameters: {
            query?: never;
            header: {
                /** @description Version of the protocol. */
                "Tus-Resumable": "1.0.0";
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The state of the upload. */
            200: {
                headers: {
                    /** @description `1.0.0` */
                    "Tus-Resumable"?: string;
                    /** @description Number of bytes that have arrived. */
                    "Upload-Offset"?: number;
                    /** @description When an upload without further bytes is deleted. */
                    "Upload-Expires"?: string;
                    /** @description Key of the stored file, once the upload is complete and was scanned. */
                    "X-Stored-Key"?: string;
                    /** @description Size of the file. */
                    "Upload-Length"?: number;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise is suspended. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The requested resource does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Tus-Resumable must be 1.0.0. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A file is damaged or not of the expected type. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    continueUpload: {
        parameters: {
            query?: never;
            header: {
                /** @description Version of the protocol. */
                "Tus-Resumable": "1.0.0";
                /** @description Number of bytes that have arrived: where this body starts. */
                "Upload-Offset": number;
                /** @description `sha1`, `sha256` or `md5`, a space, and the base64 digest of the body. */
                "Upload-Checksum"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/offset+octet-stream": string;
            };
        };
        responses: {
            /** @description The bytes are stored. */
            204: {
                headers: {
                    /** @description `1.0.0` */
                    "Tus-Resumable"?: string;
                    /** @description Number of bytes that have arrived. */
                    "Upload-Offset"?: number;
                    /** @description When an upload without further bytes is deleted. */
                    "Upload-Expires"?: string;
                    /** @description Key of the stored file, once the upload is complete and was scanned. */
                    "X-Stored-Key"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is malformed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The API key pair is missing, wrong, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The enterprise is suspended. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The requested resource does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The request body did not arrive in time. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Upload-Offset must be the number of bytes that have arrived; ask for it with HEAD. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Tus-Resumable must be 1.0.0. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The request body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported media type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A file is damaged or not of the expected type. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The caller exceeded its limit of calls per minute. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The bytes do not match Upload-Checksum; none of them were kept. */
            460: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The server has too little free disk space for files at the moment; retry later. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    "postTool-apisByIdRun": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the call safe to retry. For 24 hours, a repeat with the same key returns the first result without running the tool, with `Idempotency-Replayed: true`. It counts in the minute, not in the day. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description GeoJSON Feature, FeatureCollection or geometry (RFC 7946), as longitude and latitude in WGS 84; a GeometryCollection is not allowed */
                    input: {
                        /** @enum {string} */
                        type: "FeatureCollection";
                        features: {
                            /** @enum {string} */
                            type: "Feature";
                            properties?: {
                                [key: string]: unknown;
                            } | null;
                            geometry: {
                                /** @enum {string} */
                                type: "Point" | "MultiPoint" | "LineString" | "MultiLineString" | "Polygon" | "MultiPolygon";
                                coordinates: unknown[];
                            };
                        }[];
                    } | {
                        /** @enum {string} */
                        type: "Feature";
                        properties?: {
                            [key: string]: unknown;
                        } | null;
                        geometry: {
                            /** @enum {string} */
                            type: "Point" | "MultiPoint" | "LineString" | "MultiLineString" | "Polygon" | "MultiPolygon";
                            coordinates: unknown[];
                        };
                    } | {
                        /** @enum {string} */
                        type: "Point" | "MultiPoint" | "LineString" | "MultiLineString" | "Polygon" | "MultiPolygon";
                        coordinates: unknown[];
                    };
                };
            };
        };
        responses: {
            /** @description `TOOL_API_RESULT`: the verdict of an inside check, or the resulting layer of any other tool */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        ok: boolean;
                        statusCode: number;
                        code: string;
                        message: string;
                        path?: string;
                        method?: string;
                        /** Format: date-time */
                        timestamp?: string;
                        requestId?: string;
                        data: {
                            featureCount: number;
                            result: {
                                /** @enum {string} */
                                type: "FeatureCollection";
                                features: {
                                    /** @enum {string} */
                                    type: "Feature";
                                    properties?: {
                                        [key: string]: unknown;
                                    } | null;
                                    geometry: {
                                        /** @enum {string} */
                                        type: "Point" | "MultiPoint" | "LineString" | "MultiLineString" | "Polygon" | "MultiPolygon";
                                        coordinates: unknown[];
                                    };
                                }[];
                            };
                        } | {
                            /** @description Whether every feature passes */
                            passed: boolean;
                            /** @description Number of features by relation, and of those that pass */
                            counts: {
                                inside: number;
                                partial: number;
                                outside: number;
                                passed: number;
                            };
                            /** @description For each feature: id is that of the feature, if it has one; relation is inside, partial or outside; reference contains the columns of the reference feature with the largest overlap */
                            results: {
                                index: number;
                                id?: string | number;
                                /** @enum {string} */
                                relation: "inside" | "partial" | "outside";
                                percentInside: number;
                                pass: boolean;
                                matchCount: number;
                                reference: {
                                    [key: string]: unknown;
                                };
                            }[];
                        };
                    };
                };
            };
            /** @description `TOOL_API_KEY_INVALID`: key missing, wrong, expired or revoked, or unknown Tool API */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `TOOL_API_SUSPENDED`, `TOOL_API_HELD`, `TOOL_API_DISABLED`, `TOOL_API_PLAN` or `GIS_TIER_REQUIRED`: the Tool API does not answer calls */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `TOOL_API_BINDING_MISSING`: the bound layer or file cannot be used; `IDEMPOTENCY_KEY_IN_USE`: the first call with the key is still running */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `TOOL_API_INPUT_TOO_LARGE` or `TOOL_API_RESULT_TOO_LARGE`: send fewer features */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `MEDIA_TYPE_UNSUPPORTED`: the body must be `application/json` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `TOOL_API_INPUT_INVALID`: the message names the feature and the broken rule; `IDEMPOTENCY_KEY_REUSED`: the key was used for another input */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `TOOL_API_RATE_LIMITED`, `API_KEY_QUOTA` or `ENTERPRISE_API_DAILY_LIMIT`; `Retry-After` gives the wait in seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `SERVICE_BUSY` or `TOOL_UNAVAILABLE`; `Retry-After` gives the wait in seconds */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `TOOL_TIMEOUT`: the tool exceeded its time limit */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "getTool-apisById": {
        parameters: {
            query?: {
                lang?: "en" | "ar";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The process description */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Process"];
                };
            };
            /** @description `TOOL_API_KEY_INVALID`: key missing, wrong, expired or revoked, or unknown Tool API */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "postManageV1OwnersByOwnerIdTool-api-previews": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                ownerId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    tool: string;
                    /** @description Settings of the tool by name, without file fields and target_format */
                    settings?: {
                        [key: string]: unknown;
                    };
                    /** @description Layer or file that supplies the second input of the tool */
                    binding?: {
                        kind: "layer" | "file" | "file-version";
                        id: string;
                        /** @description Version number; only for the kind file-version */
                        version?: number;
                    };
                    /** @description Condition under which a feature passes the inside check */
                    rule?: {
                        kind: "inside" | "partly" | "percent";
                        percent?: number;
                    };
                    referenceFields?: string[] | null;
                    /** @description GeoJSON Feature, FeatureCollection or geometry (RFC 7946) */
                    input: unknown;
                };
            };
        };
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: unknown;
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getManageV1Tiers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            items: components["schemas"]["Tier"][];
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    patchManageV1TiersByName: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    apiRequestsPerDay?: number | null;
                    readingsPerDay?: number | null;
                    retentionDays?: number | null;
                    creditsPerMonth?: number | null;
                    /** @description Whether the tier includes Tool APIs */
                    toolApis?: boolean;
                };
            };
        };
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["Tier"] & {
                            affectedReadings: number | null;
                            deletionAt: string | null;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getManageV1Enterprises: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            items: components["schemas"]["Enterprise"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    postManageV1Enterprises: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Must not consist of spaces only */
                    name: string;
                    /** @description Enterprise tier, for example starter, business or scale */
                    tier: string;
                };
            };
        };
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["Enterprise"];
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getManageV1EnterprisesById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["Enterprise"] & {
                            limits: {
                                retentionDays: number;
                                readingsPerDay: number;
                                apiRequestsPerDay: number;
                            };
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    deleteManageV1EnterprisesById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            id: string;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    patchManageV1EnterprisesById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Must not consist of spaces only */
                    name?: string;
                    tier?: string;
                    status?: "active" | "suspended";
                    assetsHeld?: boolean;
                    heldReason?: string | null;
                    retentionDays?: number | null;
                    readingsPerDay?: number | null;
                    apiRequestsPerDay?: number | null;
                    credits?: number | null;
                    storedMb?: number | null;
                    storedDays?: number | null;
                };
            };
        };
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: (components["schemas"]["Enterprise"] & {
                            limits: {
                                retentionDays: number;
                                readingsPerDay: number;
                                apiRequestsPerDay: number;
                            };
                        }) & {
                            affectedReadings: number | null;
                            deletionAt: string | null;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getManageV1EnterprisesByIdBelongings: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            members: number;
                            applications: number;
                            sensors: number;
                            readings: number | null;
                            zoneRules: number;
                            layers: number;
                            files: number;
                            toolApis: number;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getManageV1EnterprisesByIdMembers: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            items: components["schemas"]["Member"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    postManageV1EnterprisesByIdMembers: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description E-mail address */
                    email: string;
                    role: "owner" | "admin" | "member";
                };
            };
        };
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["Member"];
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getManageV1MembersById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["Member"];
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    deleteManageV1MembersById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            id: string;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    patchManageV1MembersById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description E-mail address */
                    email?: string;
                    role?: "owner" | "admin" | "member";
                };
            };
        };
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["Member"];
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getManageV1EnterprisesByIdApplications: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            items: components["schemas"]["Application"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    postManageV1EnterprisesByIdApplications: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Must not consist of spaces only */
                    name: string;
                    tools?: "all" | string[];
                    /** @description Whether it may read sensors and readings; by default only if it may run all tools. */
                    assets?: boolean;
                };
            };
        };
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["Application"] & {
                            publicKey: string;
                            secretKey: string;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getManageV1ApplicationsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["Application"];
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    deleteManageV1ApplicationsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            id: string;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    patchManageV1ApplicationsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Must not consist of spaces only */
                    name?: string;
                    tools?: "all" | string[];
                    /** @description Whether it may read sensors and readings; by default only if it may run all tools. */
                    assets?: boolean;
                };
            };
        };
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["Application"];
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getManageV1ApplicationsByIdKeys: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            items: components["schemas"]["ApplicationKey"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    postManageV1ApplicationsByIdKeys: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Must not consist of spaces only */
                    name?: string;
                    /** @description RFC 3339 time at which the key stops working; without it, never */
                    expiresAt?: string;
                };
            };
        };
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["ApplicationKey"] & ({
                            keyId: string;
                        } & {
                            publicKey: string;
                            secretKey: string;
                        });
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    deleteManageV1ApplicationsByIdKeysByKeyId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            id: string;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getManageV1ApplicationsByIdUsage: {
        parameters: {
            query?: {
                from?: string;
                to?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            /** Format: date */
                            from: string;
                            /** Format: date */
                            to: string;
                            days: {
                                /** Format: date */
                                day: string;
                                requests: number;
                                runs: number;
                                failures: number;
                                credits: number;
                            }[];
                            tools: {
                                tool: string;
                                runs: number;
                                failures: number;
                                credits: number;
                            }[];
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getManageV1People: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            items: components["schemas"]["Person"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    postManageV1People: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description E-mail address */
                    email: string;
                    /** @description Plan, for example free, plus, pro or max */
                    plan: string;
                    status?: "active" | "suspended";
                    storedDays?: number | null;
                    password?: string;
                };
            };
        };
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["Person"];
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getManageV1PeopleById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["Person"];
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    deleteManageV1PeopleById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            id: string;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    patchManageV1PeopleById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description E-mail address */
                    email?: string;
                    /** @description Plan, for example free, plus, pro or max */
                    plan?: string;
                    status?: "active" | "suspended";
                    storedDays?: number | null;
                    password?: string;
                };
            };
        };
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["Person"];
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getManageV1EnterprisesByIdInvitations: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            items: components["schemas"]["OneTimeLink"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    postManageV1EnterprisesByIdInvitations: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description E-mail address */
                    email: string;
                    role: "owner" | "admin" | "member";
                };
            };
        };
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["OneTimeLink"] & {
                            path: string;
                            isMailed: boolean;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    deleteManageV1InvitationsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            id: string;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    "postManageV1MembersByIdReset-link": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["OneTimeLink"] & {
                            path: string;
                            isMailed: boolean;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getManageV1PeopleByIdLinks: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            items: components["schemas"]["OneTimeLink"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    postManageV1PeopleByIdLinks: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["OneTimeLink"] & {
                            path: string;
                            isMailed: boolean;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getManageV1OperatorsInvitations: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            items: components["schemas"]["OneTimeLink"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    postManageV1OperatorsInvitations: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description E-mail address */
                    email: string;
                };
            };
        };
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["OneTimeLink"] & {
                            path: string;
                            isMailed: boolean;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    deleteManageV1OperatorsInvitationsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            id: string;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getManageV1Operators: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            items: components["schemas"]["Operator"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    deleteManageV1OperatorsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            id: string;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getManageV1OperatorsTokens: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            items: components["schemas"]["OperatorToken"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    postManageV1OperatorsTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Whose token it is, or what for */
                    name: string;
                    expiresAt?: string | null;
                };
            };
        };
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["OperatorToken"] & {
                            token: string;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    deleteManageV1OperatorsTokensById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            id: string;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    "getManageV1OwnersByOwnerIdKey-reminders": {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                olderThanDays?: number;
            };
            header?: never;
            path: {
                ownerId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            items: components["schemas"]["KeyReminder"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    "getManageV1OperatorsToken-reminders": {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                olderThanDays?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            items: components["schemas"]["KeyReminder"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getManageV1OperatorEnterprises: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                order?: "asc" | "desc";
                status?: "active" | "suspended";
                q?: string;
                tier?: string;
                held?: "true" | "false";
                sort?: "id" | "name" | "sensors" | "readings" | "stored" | "active";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            items: components["schemas"]["ListedEnterprise"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getManageV1OperatorEnterprisesById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["ListedEnterprise"];
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getManageV1OperatorPeople: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                order?: "asc" | "desc";
                status?: "active" | "suspended";
                q?: string;
                plan?: string;
                sort?: "id" | "email";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            items: components["schemas"]["ListedPerson"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getManageV1OperatorHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            items: components["schemas"]["InstanceState"][];
                            openUploads: {
                                ownerId: string;
                                count: number;
                                receivedBytes: number;
                                bytes: number;
                            }[];
                            owners: {
                                id: string;
                                name: string;
                            }[];
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getManageV1OperatorHealthEvents: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                from?: string;
                to?: string;
                part?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            items: components["schemas"]["HealthEvent"][];
                            nextCursor: string | null;
                        } & {
                            before: components["schemas"]["HealthEvent"][];
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getManageV1OperatorHealthSamples: {
        parameters: {
            query?: {
                from?: string;
                to?: string;
                instance?: string;
                points?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            stepSeconds: number;
                            items: components["schemas"]["HealthSample"][];
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getManageV1OperatorJobs: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                state?: string;
                owner?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            items: components["schemas"]["ListedJob"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    deleteManageV1OperatorJobsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            id: string;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getManageV1EnterprisesByIdSensors: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                tag?: string;
                q?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            items: components["schemas"]["Sensor"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    postManageV1EnterprisesByIdSensors: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    channels: {
                        /** @description Must not consist of spaces only */
                        name: string;
                        measurement: "number" | "whole" | "boolean";
                        unit?: string;
                    }[];
                    /** @description Must not consist of spaces only */
                    name?: string;
                    /** @description Must not consist of spaces only */
                    assetName?: string;
                    /** @description Words by which lists are filtered */
                    tags?: string[];
                };
            };
        };
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["Sensor"] & {
                            key: string;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getManageV1SensorsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["Sensor"];
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    deleteManageV1SensorsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            id: string;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    patchManageV1SensorsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    enabled?: boolean;
                    held?: boolean;
                    heldReason?: string | null;
                    channels?: {
                        /** @description Must not consist of spaces only */
                        name: string;
                        measurement: "number" | "whole" | "boolean";
                        unit?: string;
                    }[];
                    /** @description Must not consist of spaces only */
                    name?: string;
                    /** @description Must not consist of spaces only */
                    assetName?: string;
                    /** @description Words by which lists are filtered */
                    tags?: string[];
                };
            };
        };
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["Sensor"];
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getManageV1SensorsByIdKeys: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            items: components["schemas"]["StoredKey"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    postManageV1SensorsByIdKeys: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Must not consist of spaces only */
                    name?: string;
                    /** @description RFC 3339 time at which the key stops working; without it, never */
                    expiresAt?: string;
                };
            };
        };
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["StoredKey"] & ({
                            keyId: string;
                        } & {
                            key: string;
                        });
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    deleteManageV1SensorsByIdKeysByKeyId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            id: string;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getManageV1EnterprisesByIdAssets: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            items: components["schemas"]["Asset"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    postManageV1EnterprisesByIdAssets: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Must not consist of spaces only */
                    name: string;
                };
            };
        };
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["Asset"];
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getManageV1AssetsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["Asset"];
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    deleteManageV1AssetsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            id: string;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    patchManageV1AssetsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Must not consist of spaces only */
                    name: string;
                };
            };
        };
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["Asset"];
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    deleteManageV1SensorsByIdReadings: {
        parameters: {
            query: {
                from: string;
                to: string;
                channel?: string;
                refill?: boolean;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["ReadingDeletion"];
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getManageV1SensorsByIdDeletions: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            items: components["schemas"]["ReadingDeletion"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getManageV1SensorsByIdDeletionsPreview: {
        parameters: {
            query: {
                from: string;
                to: string;
                channel?: string;
                refill?: boolean;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            readings: number | null;
                            oldest: string | null;
                            newest: string | null;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getManageV1SensorsByIdDeletionsByDeletionId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                deletionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["ReadingDeletion"];
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getManageV1OwnersByOwnerIdLayers: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                q?: string;
                sort?: "id" | "name" | "changed" | "features" | "size";
                order?: "asc" | "desc";
            };
            header?: never;
            path: {
                ownerId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            items: (components["schemas"]["Layer"] & {
                                usedBy: {
                                    zoneRules: number;
                                    toolApis: number;
                                };
                            })[];
                            nextCursor: string | null;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    postManageV1OwnersByOwnerIdLayers: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                ownerId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    /** @description A FeatureCollection, a Feature or a geometry */
                    geojson: {
                        type: string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["Layer"];
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getManageV1OwnersByOwnerIdLayersById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                ownerId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["Layer"];
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    deleteManageV1OwnersByOwnerIdLayersById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                ownerId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            id: string;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    patchManageV1OwnersByOwnerIdLayersById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                ownerId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Must not consist of spaces only */
                    name?: string;
                    /** @description Id of the new owner, an enterprise or a person */
                    ownerId?: string;
                };
            };
        };
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["Layer"];
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getManageV1OwnersByOwnerIdLayersByIdUses: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                ownerId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            items: components["schemas"]["Use"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getManageV1OwnersByOwnerIdLayersByIdFeatures: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                ownerId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            items: components["schemas"]["Feature"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    putManageV1OwnersByOwnerIdLayersByIdFeatures: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                ownerId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    type: string;
                } & {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["Layer"];
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    patchManageV1OwnersByOwnerIdLayersByIdFeatures: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                ownerId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Features to add or replace */
                    upsert?: ({
                        type: string;
                    } & {
                        [key: string]: unknown;
                    })[];
                    /** @description Ids of features to delete */
                    delete?: string[];
                    /** @description The columns of the layer in their order, when some are renamed or removed. Other properties of the features to add follow. */
                    fields?: string[];
                };
            };
        };
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["Layer"];
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getManageV1OwnersByOwnerIdLayersByIdFeaturesByFeatureId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                ownerId: string;
                id: string;
                featureId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["Feature"];
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    putManageV1OwnersByOwnerIdLayersByIdFeaturesByFeatureId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                ownerId: string;
                id: string;
                featureId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    type: string;
                } & {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["Layer"];
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    deleteManageV1OwnersByOwnerIdLayersByIdFeaturesByFeatureId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                ownerId: string;
                id: string;
                featureId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["Layer"];
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    "postManageV1OwnersByOwnerIdLayersFrom-file": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                ownerId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Must not consist of spaces only */
                    name: string;
                    /** @description Key of a stored GeoJSON file of the owner: a result of a tool, an upload, a file or a version of one */
                    file: string;
                };
            };
        };
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["Layer"];
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getManageV1OwnersByOwnerIdLayersByIdVersions: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                ownerId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            items: components["schemas"]["LayerVersion"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    deleteManageV1OwnersByOwnerIdLayersByIdVersions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                ownerId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["Layer"];
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getManageV1OwnersByOwnerIdLayersByIdVersionsCompare: {
        parameters: {
            query: {
                limit?: number;
                cursor?: string;
                from: number;
                to: number;
            };
            header?: never;
            path: {
                ownerId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            items: components["schemas"]["FeatureDifference"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getManageV1OwnersByOwnerIdLayersByIdVersionsByVersionFeatures: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                ownerId: string;
                id: string;
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            items: components["schemas"]["Feature"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    postManageV1OwnersByOwnerIdLayersByIdVersionsByVersionRestore: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                ownerId: string;
                id: string;
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["Layer"];
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getManageV1OwnersByOwnerIdLayersByIdExport: {
        parameters: {
            query: {
                format: "geojson" | "shp" | "kml" | "gml" | "gpkg" | "fgb" | "kmz" | "parquet" | "csv";
                escapeFormulas?: "true" | "false";
            };
            header?: never;
            path: {
                ownerId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The content */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": unknown;
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getManageV1OwnersByOwnerIdFiles: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                q?: string;
                sort?: "id" | "name" | "changed";
                order?: "asc" | "desc";
            };
            header?: never;
            path: {
                ownerId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            items: (components["schemas"]["File"] & {
                                usedBy: {
                                    zoneRules: number;
                                    toolApis: number;
                                };
                            })[];
                            nextCursor: string | null;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    postManageV1OwnersByOwnerIdFiles: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                ownerId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** Format: binary */
                    file: string;
                };
            };
        };
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["File"];
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getManageV1OwnersByOwnerIdFilesById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                ownerId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["File"];
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    deleteManageV1OwnersByOwnerIdFilesById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                ownerId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            id: string;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    patchManageV1OwnersByOwnerIdFilesById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                ownerId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Must not consist of spaces only */
                    name?: string;
                    /** @description Id of the new owner, an enterprise or a person */
                    ownerId?: string;
                    scanStatus?: "pending" | "clean" | "infected" | "failed";
                };
            };
        };
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["File"];
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getManageV1OwnersByOwnerIdFilesByIdUses: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                ownerId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            items: components["schemas"]["Use"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getManageV1OwnersByOwnerIdFilesByIdVersions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                ownerId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            items: components["schemas"]["FileVersion"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    postManageV1OwnersByOwnerIdFilesByIdVersions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                ownerId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** Format: binary */
                    file: string;
                };
            };
        };
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["FileVersion"] & {
                            storageKey: string;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getManageV1OwnersByOwnerIdFilesByIdVersionsByVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                ownerId: string;
                id: string;
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["FileVersion"];
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    deleteManageV1OwnersByOwnerIdFilesByIdVersionsByVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                ownerId: string;
                id: string;
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            id: string;
                            version: number;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    patchManageV1OwnersByOwnerIdFilesByIdVersionsByVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                ownerId: string;
                id: string;
                version: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    scanStatus: "pending" | "clean" | "infected" | "failed";
                };
            };
        };
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["FileVersion"];
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getManageV1OwnersByOwnerIdFilesByIdVersionsByVersionContent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                ownerId: string;
                id: string;
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The content */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": unknown;
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getManageV1OwnersByOwnerIdExports: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                ownerId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            items: components["schemas"]["DataExport"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    postManageV1OwnersByOwnerIdExports: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                ownerId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["DataExport"];
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getManageV1OwnersByOwnerIdExportsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                ownerId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["DataExport"];
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    deleteManageV1OwnersByOwnerIdExportsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                ownerId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            id: string;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getManageV1OwnersByOwnerIdExportsByIdContent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                ownerId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The content */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": unknown;
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    "getManageV1Tool-api-tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            items: {
                                id: string;
                                version: string;
                                title: {
                                    en: string;
                                    ar: string;
                                };
                                description: {
                                    en: string;
                                    ar: string;
                                };
                                tier: string | null;
                                secondInput: unknown | null;
                                tellsFields: boolean;
                                settings: {
                                    [key: string]: unknown;
                                };
                            }[];
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    "getManageV1OwnersByOwnerIdTool-apis": {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                offset?: number;
                q?: string;
                state?: string;
                tool?: string;
                sort?: "name" | "tool" | "binding" | "state" | "calls" | "refused" | "p95" | "lastCall";
                order?: "asc" | "desc";
                lang?: "en" | "ar";
            };
            header?: never;
            path: {
                ownerId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            items: components["schemas"]["ToolApiWithActivity"][];
                            nextCursor: string | null;
                            total?: number;
                            states?: {
                                refused: number;
                                held: number;
                                off: number;
                                on: number;
                            };
                            tools?: string[];
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    "postManageV1OwnersByOwnerIdTool-apis": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                ownerId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Process id, for example vector.clip */
                    tool: string;
                    /** @description Must not consist of spaces only */
                    name: string;
                    /** @description Settings of the tool by name, without file fields and target_format */
                    settings?: {
                        [key: string]: unknown;
                    };
                    /** @description Layer or file that supplies the second input of the tool */
                    binding?: {
                        kind: "layer" | "file" | "file-version";
                        id: string;
                        /** @description Version number; only for the kind file-version */
                        version?: number;
                    };
                    /** @description Condition under which a feature passes the inside check */
                    rule?: {
                        kind: "inside" | "partly" | "percent";
                        percent?: number;
                    };
                    referenceFields?: string[] | null;
                };
            };
        };
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["ToolApi"] & {
                            key: string;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    "getManageV1Tool-apisById": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["ToolApiWithActivity"];
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    "deleteManageV1Tool-apisById": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            id: string;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    "patchManageV1Tool-apisById": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Must not consist of spaces only */
                    name?: string;
                    /** @description Settings of the tool by name, without file fields and target_format */
                    settings?: {
                        [key: string]: unknown;
                    };
                    /** @description Layer or file that supplies the second input of the tool */
                    binding?: {
                        kind: "layer" | "file" | "file-version";
                        id: string;
                        /** @description Version number; only for the kind file-version */
                        version?: number;
                    };
                    /** @description Condition under which a feature passes the inside check */
                    rule?: {
                        kind: "inside" | "partly" | "percent";
                        percent?: number;
                    };
                    referenceFields?: string[] | null;
                    enabled?: boolean;
                    held?: boolean;
                    heldReason?: string | null;
                };
            };
        };
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["ToolApiWithActivity"];
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    "getManageV1Tool-apisByIdKeys": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            items: components["schemas"]["StoredKey"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    "postManageV1Tool-apisByIdKeys": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Must not consist of spaces only */
                    name?: string;
                    /** @description RFC 3339 time at which the key stops working; without it, never */
                    expiresAt?: string;
                };
            };
        };
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["StoredKey"] & ({
                            keyId: string;
                        } & {
                            key: string;
                        });
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    "deleteManageV1Tool-apisByIdKeysByKeyId": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            id: string;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getManageV1OwnersByOwnerIdUsage: {
        parameters: {
            query?: {
                from?: string;
                to?: string;
            };
            header?: never;
            path: {
                ownerId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            /** Format: date */
                            from: string;
                            /** Format: date */
                            to: string;
                            calls: number;
                            failures: number;
                            durationMs: number;
                            meanDurationMs: number | null;
                            days: {
                                toolApiId: string;
                                /** Format: date */
                                day: string;
                                calls: number;
                                failures: number;
                                durationMs: number;
                                meanDurationMs: number | null;
                            }[];
                            requests: {
                                /** Format: date */
                                day: string;
                                used: number;
                                allowance: number;
                            };
                            readings: {
                                /** Format: date */
                                day: string;
                                used: number;
                                allowance: number;
                            } | null;
                            credits: {
                                /** Format: date-time */
                                periodStart: string;
                                /** Format: date-time */
                                periodEnd: string;
                                used: number;
                                allowance: number;
                            } | null;
                            storage: {
                                bytes: number;
                                quotaBytes: number;
                                expiring: {
                                    files: number;
                                    bytes: number;
                                    firstAt: string | null;
                                };
                            };
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    "getManageV1Tool-apisByIdUsage": {
        parameters: {
            query?: {
                from?: string;
                to?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            /** Format: date */
                            from: string;
                            /** Format: date */
                            to: string;
                            calls: number;
                            failures: number;
                            durationMs: number;
                            meanDurationMs: number | null;
                            days: {
                                toolApiId: string;
                                /** Format: date */
                                day: string;
                                calls: number;
                                failures: number;
                                durationMs: number;
                                meanDurationMs: number | null;
                            }[];
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    "getManageV1Tool-apisByIdStatistics": {
        parameters: {
            query?: {
                from?: string;
                to?: string;
                step?: "hour" | "day";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            /** @enum {string} */
                            step: "hour" | "day";
                            /** Format: date-time */
                            from: string;
                            /** Format: date-time */
                            to: string;
                            total: components["schemas"]["ToolApiCounts"];
                            items: (components["schemas"]["ToolApiCounts"] & {
                                /** Format: date-time */
                                start: string;
                            })[];
                            refusals: {
                                code: string;
                                /** Format: date-time */
                                at: string;
                                message: string;
                                requestId: string;
                                isTrial: boolean;
                            }[];
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getManageV1OwnersByOwnerIdUsageDaily: {
        parameters: {
            query?: {
                from?: string;
                to?: string;
                by?: "tool" | "application";
            };
            header?: never;
            path: {
                ownerId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            /** Format: date */
                            from: string;
                            /** Format: date */
                            to: string;
                            /** @enum {string} */
                            by: "tool" | "application";
                            days: {
                                /** Format: date */
                                day: string;
                                runs: number;
                                failures: number;
                                credits: number;
                                requests: number;
                                readings: number | null;
                            }[];
                            groups: {
                                id: string | null;
                                name: string | null;
                                runs: number;
                                failures: number;
                                credits: number;
                                daily: {
                                    runs: number[];
                                    credits: number[];
                                } | null;
                            }[];
                            months: {
                                month: string;
                                credits: number;
                            }[];
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getManageV1Audit: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                subject?: string;
                owner?: string;
                actor?: string;
                action?: "create" | "update" | "delete" | "revoke" | "refuse" | "download" | "view" | "upload" | "sign-in" | "sign-out" | "use" | "read-again";
                kind?: "tier" | "enterprise" | "member" | "person" | "application" | "application-key" | "operator-token" | "stored-file" | "upload" | "run" | "job" | "asset" | "sensor" | "sensor-key" | "readings" | "layer" | "file" | "file-version" | "data-export" | "tool-api" | "tool-api-key" | "zone-rule" | "account" | "password" | "sign-in" | "one-time-link" | "audit";
                from?: string;
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            items: components["schemas"]["AuditRecord"][];
                            nextCursor: string | null;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getManageV1AuditActors: {
        parameters: {
            query: {
                owner: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            items: {
                                actor: string;
                                name: string | null;
                            }[];
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getManageV1AuditExport: {
        parameters: {
            query: {
                subject?: string;
                owner?: string;
                actor?: string;
                action?: "create" | "update" | "delete" | "revoke" | "refuse" | "download" | "view" | "upload" | "sign-in" | "sign-out" | "use" | "read-again";
                kind?: "tier" | "enterprise" | "member" | "person" | "application" | "application-key" | "operator-token" | "stored-file" | "upload" | "run" | "job" | "asset" | "sensor" | "sensor-key" | "readings" | "layer" | "file" | "file-version" | "data-export" | "tool-api" | "tool-api-key" | "zone-rule" | "account" | "password" | "sign-in" | "one-time-link" | "audit";
                from?: string;
                to?: string;
                format: "csv" | "jsonl";
                escapeFormulas?: "true" | "false";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The content */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": unknown;
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    "postManageV1Tool-apisByIdTry": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description GeoJSON Feature, FeatureCollection or geometry (RFC 7946) */
                    input: Record<string, never>;
                };
            };
        };
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: unknown;
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    "postAuthReset-links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description E-mail address, in any case */
                    email: string;
                };
            };
        };
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: Record<string, never>;
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    "postAuthSign-up": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description E-mail address, in any case */
                    email: string;
                };
            };
        };
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: Record<string, never>;
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getAuthOidc: {
        parameters: {
            query?: {
                next?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description To the issuer */
            302: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getAuthSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["PortalSession"];
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    "postAuthSign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description E-mail address, in any case */
                    email: string;
                    password: string;
                };
            };
        };
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["PortalSession"];
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    "postAuthSign-out": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: Record<string, never>;
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    "postAuthSign-out-everywhere": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: Record<string, never>;
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getAuthSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            items: {
                                id: string;
                                address: string | null;
                                userAgent: string | null;
                                isCurrent: boolean;
                                /** Format: date-time */
                                createdAt: string;
                                /** Format: date-time */
                                lastUsedAt: string;
                                /** Format: date-time */
                                expiresAt: string;
                            }[];
                            nextCursor: string | null;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    deleteAuthSessionsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            id: string;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    patchAuthAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Name of the person */
                    name?: string;
                    preferences?: {
                        /** @description Language of the portal */
                        language?: "en" | "ar";
                        /** @description auto follows the device */
                        theme?: "auto" | "light" | "dark";
                        /** @description latn: 0123, arab: ٠١٢٣ */
                        digits?: "latn" | "arab";
                        /** @description Zone of shown times: of the device, or UTC */
                        zone?: "local" | "utc";
                    };
                };
            };
        };
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            id: string;
                            email: string;
                            name: string;
                            preferences: components["schemas"]["Preferences"];
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    postAuthPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    currentPassword: string;
                    password: string;
                };
            };
        };
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["PortalSession"];
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    postAuthLinksOpen: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Last part of the address of the link */
                    token: string;
                };
            };
        };
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            /** @enum {string} */
                            kind: "operator" | "invitation" | "person" | "sign-up" | "reset";
                            email: string | null;
                            role: ("owner" | "admin" | "member") | null;
                            /** Format: date-time */
                            expiresAt: string;
                            enterpriseName: string | null;
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    postAuthLinksUse: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Last part of the address of the link */
                    token: string;
                    /** @description Name of the person */
                    name?: string;
                    /** @description E-mail address, in any case */
                    email?: string;
                    password?: string;
                    /** @description Accept for the account of the session, instead of creating one */
                    asSignedIn?: boolean;
                };
            };
        };
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: components["schemas"]["PortalSession"];
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getHealthLive: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            /** @constant */
                            status: "live";
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getHealthReady: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Envelope"] & {
                        /** @constant */
                        code?: "SUCCESS";
                        data: {
                            parts: {
                                [key: string]: {
                                    /** @enum {string} */
                                    status: "ok" | "failing";
                                    durationMs: number;
                                    detail?: unknown;
                                };
                            };
                        };
                    };
                };
            };
            /** @description A failure, identified by `code` */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
}
